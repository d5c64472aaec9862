import { closeSync, openSync, readSync } from 'node:fs';
import type { z } from 'zod';
import { UserError } from './errors.ts';

/** An unparsed body; signatures cover its bytes. */
export type RawBody = string | Buffer;

/** Decodes a body as UTF-8 without byte order mark; invalid bytes become U+FFFD. */
export const decodeBody = (body: RawBody): string =>
  typeof body === 'string' ? body.replace(/^\ufeff/, '') : new TextDecoder().decode(body);

/** Parses JSON of a counterparty; undefined when malformed. */
export function parseJson(body: RawBody): unknown {
  try {
    return JSON.parse(decodeBody(body)) as unknown;
  } catch {
    return undefined;
  }
}

/** Exceeds any settings file. Ends the reading of endless devices such as /dev/zero. */
const FILE_BYTES_MAX = 4 * 1024 ** 2;

/**
 * Reads a settings file. Reports a missing, unreadable or huge file, malformed JSON or an invalid field as a sentence that
 * shows no value. The cause is the error of the file system.
 */
export function readJsonFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(readText(path));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(explainReadFailure(path, (error as NodeJS.ErrnoException).code), { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const invalidFields = result.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`).join(', ');
  throw new UserError(`${path} is wrong at ${invalidFields}.`);
}

/** @throws {UserError} the file is larger than 4 MB */
function readText(path: string): string {
  const descriptor = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(FILE_BYTES_MAX + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size <= FILE_BYTES_MAX; size += read) {
      read = readSync(descriptor, buffer, size, buffer.length - size, null);
    }
    if (size > FILE_BYTES_MAX) throw new UserError(`${path} is no settings file: it is larger than 4 MB.`);
    return buffer.toString('utf8', 0, size);
  } finally {
    closeSync(descriptor);
  }
}

function explainReadFailure(path: string, code: string | undefined): string {
  if (code === 'ENOENT') {
    return `${path} is missing: \`krapao outside\` writes one (docs/outside.md), \`npm start\` one for the simulators.`;
  }
  if (code === 'EACCES') {
    return `This user may not read ${path}: run the program as the owner of the file, or give it to this user (chown).`;
  }
  return `${path} can't be read as JSON.`;
}
