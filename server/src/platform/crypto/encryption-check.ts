import { CannotStart } from '../start/cannot-start.ts';
import type { Queryable } from '../database/database.ts';
import type { SecretBox } from './secret-box.ts';

/** A value that a module has encrypted. */
export type Sealed = { sealed: Buffer; context: string };

const CONTEXT = 'encryption check';
const TEXT = 'krapao';

/**
 * Refuses a key other than the one this database was written with. The first start stores a check value; a database
 * without one may already hold sealed data, which the key must then open.
 * @throws {CannotStart}
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

const wrongKey = (): CannotStart =>
  new CannotStart(
    'This database was written with another encryption key. Set SECRETS_FILE to the secrets.json of the installation that wrote it (a copy of it belongs to every backup).',
  );
