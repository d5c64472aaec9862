import { readFileSync } from 'node:fs';
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

/**
 * Reads a settings file. Reports a missing or unreadable file, malformed JSON or an invalid field as a sentence that
 * shows no value. The cause is the error of the file system.
 */
export function readJsonFile<S extends z.ZodType>(path: string, schema: S): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new UserError(explainReadFailure(path, (error as NodeJS.ErrnoException).code), { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const invalidFields = result.error.issues.map((issue) => `${issue.path.join('.')} (${issue.message})`).join(', ');
  throw new UserError(`${path} is wrong at ${invalidFields}.`);
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
