import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Environment } from '../platform/config.ts';
import { DOCUMENT_BYTES_MAX } from '../platform/documents/parse-document.ts';
import { UserError } from '../platform/errors.ts';

/**
 * The bytes of a FILE argument, relative to the folder of the caller; `-` is standard input.
 * @returns at least one byte more than a document may have, if the file is too large
 */
export async function readDocumentFile(environment: Environment, file: string): Promise<Uint8Array> {
  const source = file === '-' ? process.stdin : createReadStream(resolve(environment['INIT_CWD'] ?? '', file));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source) {
      chunks.push(chunk as Buffer);
      size += (chunk as Buffer).length;
      if (size > DOCUMENT_BYTES_MAX) break;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UserError(`${file} can't be read (${code ?? String(error)}).`, { cause: error });
  }
  return Buffer.concat(chunks);
}
