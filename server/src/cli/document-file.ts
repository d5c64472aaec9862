import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../platform/config.ts';
import { DOCUMENT_BYTES_MAX } from '../platform/documents/parse-document.ts';
import { UserError } from '../platform/errors.ts';
import { explainFileFailure } from './explain-failure.ts';

/** A path argument, relative to the folder of the caller: npm and the wrapper start commands in another one. */
export const callerPath = (environment: Environment, path: string): string =>
  resolve(environment['INIT_CWD'] ?? '', path);

/**
 * The bytes of a FILE argument, relative to the folder of the caller; `-` is standard input. So is a file that the
 * wrapper opened for its caller, whose files the user of the service may not read.
 * @returns at least one byte more than a document may have, if the file is too large
 */
export async function readDocumentFile(environment: Environment, file: string): Promise<Uint8Array> {
  const isInput = file === '-' || (file !== '' && file === environment['KRAPAO_OPENED']);
  const source = isInput ? process.stdin : createReadStream(callerPath(environment, file));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > DOCUMENT_BYTES_MAX) break;
    }
  } catch (error) {
    const explanation = explainFileFailure(error, file) ?? `${file} can't be read (${(error as Error).message}).`;
    throw new UserError(explanation, { cause: error });
  }
  return Buffer.concat(chunks);
}

/** The JSON of a FILE argument. @throws {UserError} it is missing, too large, or is not JSON */
export async function readJsonArgument(environment: Environment, file: string): Promise<unknown> {
  const bytes = await readDocumentFile(environment, file);
  if (bytes.length > DOCUMENT_BYTES_MAX) throw new UserError(`${file} is larger than ${DOCUMENT_BYTES_MAX} bytes.`);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new UserError(`${file} is not JSON.`);
  }
}
