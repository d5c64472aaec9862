import { z } from 'zod';
import { readJsonFile } from '../start/json-file.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';

const BYTES = 32;
const key = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === BYTES, 'must be 32 bytes in base64');
const secrets = z.object({
  encryptionKey: key,
  /** The day on which that key was made; without it the file's own age counts. */
  encryptionKeyMade: z.iso.date().optional(),
  /** Keys that open and do not seal: the next key until every node knows it, then the one before until all is re-encrypted. */
  otherEncryptionKeys: z.array(key).default([]),
});

/** Keys for encryption at rest. They are kept in a file beside the data, never in the database. */
export type EncryptionKeys = {
  encryptionKey: Buffer;
  otherEncryptionKeys: Buffer[];
  encryptionKeyMade?: string | undefined;
};

/** Reads the keys of the secrets file. @throws {CannotStart} */
export function readEncryptionKeys(path: string): EncryptionKeys {
  return readJsonFile(path, secrets);
}

/** What seals and opens with the keys of the secrets file. @throws {CannotStart} */
export function readSecretBox(path: string): SecretBox {
  const { encryptionKey, otherEncryptionKeys } = readEncryptionKeys(path);
  return createSecretBox(encryptionKey, otherEncryptionKeys);
}
