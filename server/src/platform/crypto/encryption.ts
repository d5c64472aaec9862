import { z } from 'zod';
import type { Queryable } from '../database/database.ts';
import { UserError } from '../errors.ts';
import { readJsonFile } from '../json.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';

const KEY_BYTES = 32;
const keySchema = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === KEY_BYTES, 'must be 32 bytes in base64');
const secretsSchema = z.object({
  encryptionKey: keySchema,
  /** Day on which `encryptionKey` was created. Without it the age of the file counts. */
  encryptionKeyMade: z.iso.date().optional(),
  /**
   * Keys that open but do not seal. The next key is listed until every node has it, the previous one until all rows are
   * re-encrypted.
   */
  otherEncryptionKeys: z.array(keySchema).default([]),
});

/** Keys for encryption at rest. A file beside the data holds them; the database never does. */
export type EncryptionKeys = {
  encryptionKey: Buffer;
  otherEncryptionKeys: Buffer[];
  encryptionKeyMade?: string | undefined;
};

/** Reads the keys of the secrets file. @throws {UserError} */
export function readEncryptionKeys(path: string): EncryptionKeys {
  return readJsonFile(path, secretsSchema);
}

/** Creates a secret box with the keys of the secrets file. @throws {UserError} */
export function readSecretBox(path: string): SecretBox {
  const { encryptionKey, otherEncryptionKeys } = readEncryptionKeys(path);
  return createSecretBox(encryptionKey, otherEncryptionKeys);
}

/** A value that a module has encrypted. */
export type Sealed = { sealed: Buffer; context: string };

const CHECK_CONTEXT = 'encryption check';
const CHECK_TEXT = 'krapao';

/**
 * Refuses a key that did not encrypt this database. The first start stores a check value. A database without a check
 * value may already hold sealed data, which the key must open.
 * @throws {UserError}
 */
export async function assertEncryptionKey(
  on: Queryable,
  secretBox: SecretBox,
  readSample: () => Promise<Sealed | undefined>,
): Promise<void> {
  let storedCheck = await selectCheck(on);
  if (!storedCheck) {
    const sealedSample = await readSample();
    if (sealedSample && !canOpen(secretBox, sealedSample)) throw wrongKey();
    await on.query('insert into encryption_check (sealed) values ($1) on conflict do nothing', [
      secretBox.seal(CHECK_TEXT, CHECK_CONTEXT),
    ]);
    // Another node may have stored its check value first, sealed with another key.
    storedCheck = await selectCheck(on);
  }
  if (!storedCheck || !canOpen(secretBox, storedCheck)) throw wrongKey();
}

/** Reseals the check value with the current key, once no row is sealed with another key. */
export async function renewCheck(on: Queryable, secretBox: SecretBox): Promise<void> {
  const storedCheck = await selectCheck(on);
  if (!storedCheck || secretBox.isCurrent(storedCheck.sealed, CHECK_CONTEXT)) return;
  await on.query('update encryption_check set sealed = $1', [secretBox.seal(CHECK_TEXT, CHECK_CONTEXT)]);
}

/** Whether the keys open the check value of this database; undefined before its first start. */
export async function opensCheck(on: Queryable, secretBox: SecretBox): Promise<boolean | undefined> {
  const storedCheck = await selectCheck(on);
  return storedCheck && canOpen(secretBox, storedCheck);
}

async function selectCheck(on: Queryable): Promise<Sealed | undefined> {
  const { rows } = await on.query<{ sealed: Buffer }>('select sealed from encryption_check');
  return rows[0] && { sealed: rows[0].sealed, context: CHECK_CONTEXT };
}

function canOpen(secretBox: SecretBox, { sealed, context }: Sealed): boolean {
  try {
    secretBox.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

export const WRONG_KEY =
  'This database was written with another encryption key. Set SECRETS_FILE to the secrets.json of the installation that wrote it (a copy of it belongs to every backup).';
const wrongKey = (): UserError => new UserError(WRONG_KEY);
