import { z } from 'zod';
import { readJsonFile } from '../json.ts';
import { createSecretBox, type SecretBox } from './secret-box.ts';
import { UserError } from '../errors.ts';
import type { Queryable } from '../database/database.ts';

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

/** A value that a module has encrypted. */
export type Sealed = { sealed: Buffer; context: string };

const CONTEXT = 'encryption check';
const TEXT = 'krapao';

/**
 * Refuses a key other than the one this database was written with. The first start stores a check value; a database
 * without one may already hold sealed data, which the key must then open.
 * @throws {UserError}
 */
export async function assertEncryptionKey(
  on: Queryable,
  secretBox: SecretBox,
  sample: () => Promise<Sealed | undefined>,
): Promise<void> {
  let found = await selectCheck(on);
  if (!found) {
    const older = await sample();
    if (older && !canOpen(secretBox, older)) throw wrongKey();
    await on.query('insert into encryption_check (sealed) values ($1) on conflict do nothing', [
      secretBox.seal(TEXT, CONTEXT),
    ]);
    // Another node may have stored its check value first, made with another key.
    found = await selectCheck(on);
  }
  if (!found || !canOpen(secretBox, found)) throw wrongKey();
}

/** Seals the check value with the present key, once nothing is sealed with another. */
export async function renewCheck(on: Queryable, secretBox: SecretBox): Promise<void> {
  const found = await selectCheck(on);
  if (!found || secretBox.isCurrent(found.sealed, CONTEXT)) return;
  await on.query('update encryption_check set sealed = $1', [secretBox.seal(TEXT, CONTEXT)]);
}

async function selectCheck(on: Queryable): Promise<Sealed | undefined> {
  const { rows } = await on.query<{ sealed: Buffer }>('select sealed from encryption_check');
  return rows[0] && { sealed: rows[0].sealed, context: CONTEXT };
}

function canOpen(secretBox: SecretBox, { sealed, context }: Sealed): boolean {
  try {
    secretBox.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

const wrongKey = (): UserError =>
  new UserError(
    'This database was written with another encryption key. Set SECRETS_FILE to the secrets.json of the installation that wrote it (a copy of it belongs to every backup).',
  );
