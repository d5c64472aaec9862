import { dirname, join } from 'node:path';
import { toDecimal } from '@krapao/contract/money';
import { audit, compareBalances, entriesByAccounts } from '../ledger/index.ts';
import { describeMemberFiles, readManifest } from '../platform/backup/manifest.ts';
import { restoreToScratch } from '../platform/backup/scratch-restore.ts';
import { type ArchivedWal, explainReplayEnd, inspectArchive, readFirstWalFile } from '../platform/backup/wal-files.ts';
import { assertEncryptionKey, readSecretBox } from '../platform/crypto/encryption.ts';
import { type Database, openDatabase } from '../platform/database/database.ts';
import { assertMigrated } from '../platform/database/migrate.ts';
import { UserError } from '../platform/errors.ts';

/** Replaying a day of WAL takes minutes. */
const RECOVERY_TIMEOUT_MS = 4 * 60 * 60_000;
const CHECKS_TIMEOUT_MS = 2 * 60 * 60_000;
const NAMES_SHOWN = 3;

/** `violation`: undefined if the check passes. */
export type BackupCheck = { check: string; violation: string | undefined };
type VerificationResult = {
  checks: BackupCheck[];
  /** Last commit that was replayed from archived WAL; undefined: none was. */
  lastCommitAt: Date | undefined;
};

/**
 * Restores a backup to a scratch folder and checks it. Files of members are counted, not read.
 * @param account user and database in the backup
 * @throws {UserError} it can't be restored
 */
export async function restoreAndCheck(
  backup: string,
  walArchive: string | undefined,
  account: { user: string; database: string },
): Promise<VerificationResult> {
  const manifest = readManifest(backup);
  const request = { backup, walArchive, ...account, timeoutMs: RECOVERY_TIMEOUT_MS };
  const scratch = await restoreToScratch(dirname(backup), request);
  const database = openDatabase({ url: scratch.postgres.url, size: 1 });
  // A check that hangs ends with its database.
  const timer = setTimeout(() => void scratch.postgres.stop(), CHECKS_TIMEOUT_MS);
  try {
    await assertMigrated(database);
    const walChecks = walArchive === undefined ? [] : await checkWal(database, backup, scratch.backupWal, walArchive);
    return {
      checks: [
        await runCheck('the key of the backup opens it', () =>
          assertEncryptionKey(database, readSecretBox(join(backup, 'secrets.json')), async () => undefined),
        ),
        ...walChecks,
        ...(await checkBooks(database, manifest.ledgerEntries)),
        { check: 'slips and chat files are complete', violation: describeMemberFiles(backup, manifest) },
      ],
      lastCommitAt: await selectLastCommitTime(database),
    };
  } finally {
    clearTimeout(timer);
    await database.close();
    await scratch.remove();
  }
}

async function runCheck(check: string, run: () => Promise<unknown>): Promise<BackupCheck> {
  try {
    await run();
    return { check, violation: undefined };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { check, violation: error.message };
  }
}

/**
 * Checks that archived WAL was replayed to its end. Recovery ends without an error at a file that is missing or damaged.
 * @param backupWal names of the WAL files in the backup
 */
export async function checkWal(
  database: Database,
  backup: string,
  backupWal: readonly string[],
  archive: string,
): Promise<BackupCheck[]> {
  const wal = inspectArchive(archive, readFirstWalFile(backup), backupWal);
  if (wal.newest === undefined) return [{ check: 'WAL is archived', violation: `${archive} has no WAL file` }];
  const { rows } = await database.query<{ bytes: number }>(
    `select (coalesce(pg_last_wal_replay_lsn(), '0/0') - '0/0'::pg_lsn)::float8 as bytes`,
  );
  const replayEnd = explainReplayEnd(wal, rows[0]?.bytes ?? 0);
  return [
    { check: 'the archive has every WAL file since the backup', violation: explainGap(wal) },
    { check: 'the archived WAL is replayed to its end', violation: replayEnd && `the restore ends at ${replayEnd}` },
  ];
}

/** A number with its noun and verb, such as `1 row is` or `2 rows are`. */
const formatCount = (count: number, singular: string, plural: string): string =>
  `${count} ${count === 1 ? singular : plural}`;

/** Names the WAL files that an archive lacks; undefined if it has all. */
export function explainGap({ missing }: ArchivedWal): string | undefined {
  if (missing.length === 0) return undefined;
  const more = missing.length > NAMES_SHOWN ? `, and ${missing.length - NAMES_SHOWN} more` : '';
  return `${formatCount(missing.length, 'WAL file is', 'WAL files are')} missing: ${missing.slice(0, NAMES_SHOWN).join(', ')}${more}`;
}

async function checkBooks(database: Database, backedUpEntries: number | undefined): Promise<BackupCheck[]> {
  const audits = await audit(database);
  const balances = await compareBalances(database);
  const entries = await entriesByAccounts(database);
  const lostEntries = (backedUpEntries ?? 0) - balances.reduce((sum, { entryCount }) => sum + entryCount, 0);
  return [
    ...audits.map(({ name, violations }) => ({
      check: name,
      violation: violations === 0 ? undefined : formatCount(violations, 'row', 'rows'),
    })),
    ...balances.map(({ currency, accountCount, memberTotal, entryCount, wrongAccountCount }) => ({
      check: `balances in ${currency}: members have ${toDecimal(memberTotal)}, ${formatCount(accountCount, 'account is', 'accounts are')} the sum of ${formatCount(entryCount, 'entry', 'entries')}`,
      violation:
        wrongAccountCount === 0 ? undefined : formatCount(wrongAccountCount, 'account is not', 'accounts are not'),
    })),
    {
      check: `the books have the ${formatCount(backedUpEntries ?? entries, 'entry', 'entries')} of the backup`,
      violation: lostEntries > 0 ? formatCount(lostEntries, 'entry is missing', 'entries are missing') : undefined,
    },
  ];
}

/** Time of the last commit that was replayed from WAL; undefined: none was. */
export async function selectLastCommitTime(database: Database): Promise<Date | undefined> {
  const { rows } = await database.query<{ at: Date | null }>('select pg_last_xact_replay_timestamp() as at');
  return rows[0]?.at ?? undefined;
}
