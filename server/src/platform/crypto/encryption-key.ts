import { z } from 'zod';
import { readJsonFile } from '../start/json-file.ts';

const BYTES = 32;
const secrets = z.object({
  encryptionKey: z
    .base64()
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === BYTES, 'must be 32 bytes in base64'),
});

/** The key for encryption at rest. It is kept in a file beside the data, never in the database. */
export function readEncryptionKey(path: string): Buffer {
  return readJsonFile(path, secrets).encryptionKey;
}
