import { join } from 'node:path';
import { audit, compareBalances, entriesByAccounts } from '../ledger/index.ts';
import { readManifest } from '../platform/backup/manifest.ts';
import { restoreToScratch } from '../platform/backup/scratch-restore.ts';
import { readFirstWalFile, inspectArchive } from '../platform/backup/wal-files.ts';
import { assertEncryptionKey, readSecretBox } from '../platform/crypto/encryption.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { assertMigrated } from '../platform/database/migrate.ts';
import { UserError } from '../platform/errors.ts';
import { toDecimal } from '@krapao/contract/money';

/** Replaying a day of WAL takes minutes. */
const RECOVERY_TIMEOUT_MS = 4 * 60 * 60_000;
const CHECKS_TIMEOUT_MS = 2 * 60 * 60_000;
const NAMES_SHOWN = 3;

/** `violation`: undefined if the check passes. */
export type BackupCheck = { check: string; violation: string | undefined };
type Restored = {
  checks: BackupCheck[];
  /** Last commit in it; undefined: none was replayed from WAL. */
  restoredTo: Date | undefined;
};

/**
 * Restores a backup beside it and checks its database, secrets and outside file, WAL and books, but no files of members.
 * Removes the copy.
 * @param account user and database in the backup
 * @throws {UserError} it can't be restored
 */
export async function checkRestored(
  folder: string,
  backup: string,
  walArchive: string | undefined,
  account: { user: string; database: string },
): Promise<Restored> {
  const { ledgerEntries } = readManifest(backup);
  const request = { backup, walArchive, ...account, timeoutMs: RECOVERY_TIMEOUT_MS };
  const scratch = await restoreToScratch(folder, request);
  const database = openDatabase({ url: scratch.postgres.url, size: 1 });
  // A check that hangs ends with its database.
  const timer = setTimeout(() => void scratch.postgres.stop(), CHECKS_TIMEOUT_MS);
  try {
    await assertMigrated(database);
    const walChecks = walArchive === undefined ? [] : await checkWal(database, backup, scratch.ownWal, walArchive);
    return {
      checks: [
        await checkOf('the key of the backup opens it', () =>
          assertEncryptionKey(database, readSecretBox(join(backup, 'secrets.json')), async () => undefined),
        ),
        ...walChecks,
        ...(await checkBooks(database, ledgerEntries)),
      ],
      restoredTo: await selectLastReplay(database),
    };
  } finally {
    clearTimeout(timer);
    await database.close();
    await scratch.remove();
  }
}

async function checkOf(check: string, run: () => Promise<unknown>): Promise<BackupCheck> {
  try {
    await run();
    return { check, violation: undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { check, violation: error.message };
  }
}

/**
 * Recovery ends without an error at the first WAL file that is missing or damaged.
 * @param ownWal names of the WAL files in the backup
 */
export async function checkWal(
  database: Database,
  backup: string,
  ownWal: readonly string[],
  archive: string,
): Promise<BackupCheck[]> {
  const { newest, missing } = inspectArchive(archive, readFirstWalFile(backup), ownWal);
  const names = missing.slice(0, NAMES_SHOWN).join(', ');
  const gap = missing.length === 0 ? undefined : `${missing.length} are missing: ${names}`;
  const checks: BackupCheck[] = [{ check: 'the archive has every WAL file since the backup', violation: gap }];
  if (newest === undefined) return [{ check: 'WAL is archived', violation: `${archive} has no WAL file` }];
  const { rows } = await database.query<{ bytes: number; segmentBytes: number }>(
    `select (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn)::float8 as bytes,
            (select setting::float8 from pg_settings where name = 'wal_segment_size') as "segmentBytes"`,
  );
  const replayedBytes = rows[0]?.bytes ?? 0;
  // The position after a closed file is the start of the next one, so the newest one was read only if it is beyond that.
  const isReplayed = replayedBytes > newest.number * (rows[0]?.segmentBytes ?? 0);
  checks.push({
    check: 'the archived WAL is replayed to its end',
    violation: isReplayed
      ? undefined
      : `the restore ends before ${newest.name}: a file before it is missing or damaged`,
  });
  return checks;
}

async function checkBooks(database: Database, entriesBefore: number | undefined): Promise<BackupCheck[]> {
  const audits = await audit(database);
  const balances = await compareBalances(database);
  const entries = await entriesByAccounts(database);
  const lostEntries = (entriesBefore ?? 0) - balances.reduce((sum, { entries: count }) => sum + count, 0);
  return [
    ...audits.map(({ name, violations }) => ({
      check: name,
      violation: violations === 0 ? undefined : `${violations} rows`,
    })),
    ...balances.map(({ currency, accounts, members, entries: count, wrongAccounts }) => ({
      check: `balances in ${currency}: members have ${toDecimal(members)}, ${accounts} accounts are the sum of ${count} entries`,
      violation: wrongAccounts === 0 ? undefined : `${wrongAccounts} accounts are not`,
    })),
    {
      check: `the books have the ${entriesBefore ?? entries} entries of the backup`,
      violation: lostEntries > 0 ? `${lostEntries} are missing` : undefined,
    },
  ];
}

/** Time of the last commit that was replayed from WAL; undefined: none was. */
export async function selectLastReplay(database: Database): Promise<Date | undefined> {
  const { rows } = await database.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at');
  return rows[0]?.at ?? undefined;
}
