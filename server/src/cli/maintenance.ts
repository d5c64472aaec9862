import { parseArgs } from 'node:util';
import { toDecimal } from '@krapao/contract/money';
import { statementSource } from '../adapters/statement/index.ts';
import { sealedColumns } from '../inventory.ts';
import { audit as auditLedger } from '../ledger/index.ts';
import { type Comparison, reconcile as compareWithOutside, unexplainedDifference } from '../modules/reconcile/index.ts';
import { readOutside } from '../outside-config.ts';
import { recordCheckRun } from '../platform/check-runs.ts';
import { opensCheck, readSecretBox, renewCheck } from '../platform/crypto/encryption.ts';
import { countSealedWithOtherKeys, reencryptColumn } from '../platform/crypto/reencrypt.ts';
import { UnknownKeyError } from '../platform/crypto/secret-box.ts';
import { copyDatabase as copyTables } from '../platform/database/copy.ts';
import { migrate as migrateDatabase } from '../platform/database/migrate.ts';
import { isDatabaseUrl, PERCENT_ENCODED } from '../platform/env-schemas.ts';
import { UserError } from '../platform/errors.ts';
import { type OperatorEntry, selectOperatorLog } from '../platform/operator-log.ts';
import { explainDatabaseFailure } from '../platform/start/startup-errors.ts';
import { systemClock, timeOf } from '../platform/time.ts';
import { metricsFileOption, positionalArgs } from './arguments.ts';
import { secondsOf, writeGauges } from './metrics-file.ts';
import { type Command, withDatabase } from './run-command.ts';

const NEWEST_ENTRIES = 100;
const SUBJECT_ENTRIES_MAX = 10_000;
const COLUMN_WIDTHS = [24, 8, 18, 18, 16];
const BATCH_ROWS = 100;
export const MIGRATE_USAGE = 'Write `krapao migrate`: it has no options.';
export const AUDIT_USAGE = 'Write `krapao audit`: its only option is --metrics FILE.';
export const RECONCILE_USAGE = 'Write `krapao reconcile`: its only option is --metrics FILE.';
export const OPERATOR_LOG_USAGE = 'Write `krapao operator-log`, with or without a SUBJECT.';
export const REENCRYPT_USAGE = 'Write `krapao reencrypt `: its only option is --batch ROWS, from 1 to 10000.';
export const COPY_DATABASE_USAGE = `Say where to: krapao copy-database postgresql://user:password@host:5432/database, with ${PERCENT_ENCODED}.`;
/** Statements over whole tables. */
const LONG = { isLong: true };

export const migrate: Command = (args, io) => {
  let appliedNames: string[] = [];
  const runMigration = withDatabase(
    async (_args, { print }) => {
      for (const name of appliedNames) print(`applied ${name}\n`);
      print(`${appliedNames.length} applied, the database is up to date\n`);
      return 0;
    },
    {
      isLong: true,
      prepare: async (database) => {
        positionalArgs(args, [0, 0], `${MIGRATE_USAGE} Nothing was changed.`);
        appliedNames = await migrateDatabase(database);
      },
    },
  );
  return runMigration(args, io);
};

export const audit = withDatabase(async (args, { database, environment, print }) => {
  const metricsFile = metricsFileOption(args, environment);
  const audits = await auditLedger(database);
  for (const { name, violations } of audits) {
    print(`${violations === 0 ? 'right' : `WRONG: ${violations}`.padEnd(5)}  ${name}\n`);
  }
  const violatedAudits = audits.filter(({ violations }) => violations > 0).length;
  await recordCheckRun(database, 'audit', violatedAudits);
  writeGauges(metricsFile, 'audit', { wrong: violatedAudits, timestamp_seconds: secondsOf(systemClock.now()) });
  print(`${audits.length} checks, ${violatedAudits} wrong\n`);
  return violatedAudits === 0 ? 0 : 1;
}, LONG);

// Lists the operator log. The subject of a bank transfer takes two arguments: bank and reference.
export const operatorLog = withDatabase(async (args, { database, print }) => {
  const subjectArgs = positionalArgs(args, [0, 2], OPERATOR_LOG_USAGE);
  const subject = subjectArgs.length === 0 ? undefined : subjectArgs.join(' ');
  const limit = subject === undefined ? NEWEST_ENTRIES : SUBJECT_ENTRIES_MAX;
  const entries = await selectOperatorLog(database, { subject, limit });
  for (const entry of entries) print(`${entryRow(entry)}\n`);
  print(`${entries.length} entries\n`);
  return 0;
});

function entryRow({ at, operator, what, subject, reason }: OperatorEntry): string {
  return [timeOf(at), operator.padEnd(12), what.padEnd(24), subject, reason].join('  ');
}

export const reconcile = withDatabase(async (args, { database, config, environment, print }) => {
  const metricsFile = metricsFileOption(args, environment);
  const source = statementSource(readOutside(config.outsideFile), systemClock, config.simulators);
  const comparisons = await compareWithOutside(database, source);
  print(tableRow(['party', 'unit', 'ledger', 'statement', 'difference'], 'explained by'));
  for (const comparison of comparisons) print(comparisonRow(comparison));
  const unexplainedCount = comparisons.filter((comparison) => unexplainedDifference(comparison) !== 0n).length;
  await recordCheckRun(database, 'reconcile', unexplainedCount);
  writeGauges(metricsFile, 'reconcile', {
    unexplained: unexplainedCount,
    timestamp_seconds: secondsOf(systemClock.now()),
  });
  const skippedCount = comparisons.filter(({ partyTotal }) => partyTotal === undefined).length;
  print(`${comparisons.length} compared, ${skippedCount} without a statement, ${unexplainedCount} unexplained\n`);
  return unexplainedCount === 0 ? 0 : 1;
});

function comparisonRow(comparison: Comparison): string {
  const { party, unit, ledgerTotal, partyTotal, explanations } = comparison;
  const unexplainedAmount = unexplainedDifference(comparison);
  const reasons = explanations.map(
    ({ reason, amount, upTo }) => `${reason} ${upTo ? 'up to ' : ''}${toDecimal(amount)}`,
  );
  if (partyTotal === undefined) reasons.push('no statement is read');
  if (unexplainedAmount !== 0n) reasons.push(`UNEXPLAINED ${toDecimal(unexplainedAmount)}`);
  const amounts = [toDecimal(ledgerTotal), partyTotal === undefined ? '-' : toDecimal(partyTotal)];
  return tableRow(
    [party, unit, ...amounts, partyTotal === undefined ? '-' : toDecimal(partyTotal - ledgerTotal)],
    reasons.join(', '),
  );
}

function tableRow(cells: readonly string[], lastCell: string): string {
  const paddedCells = cells.map((cell, index) =>
    index < 2 ? cell.padEnd(COLUMN_WIDTHS[index] ?? 0) : cell.padStart(COLUMN_WIDTHS[index] ?? 0),
  );
  return `${paddedCells.join('  ')}  ${lastCell}\n`;
}

export const reencrypt = withDatabase(async (args, { database, config, print }) => {
  const batch = batchOption(args);
  const secretBox = readSecretBox(config.secretsFile);
  if ((await opensCheck(database, secretBox)) === false) {
    throw new UserError(
      `No key of ${config.secretsFile} opens this database: put its former key in otherEncryptionKeys (docs/deploy/keys.md). Nothing was changed.`,
    );
  }
  for (const column of sealedColumns) {
    const name = `${column.table}.${column.column}`;
    const onBatch = (rowCount: number): void => print(`${name}: ${rowCount} re-encrypted\n`);
    try {
      await reencryptColumn(database, secretBox, column, { batch, onBatch });
    } catch (error) {
      if (!(error instanceof UnknownKeyError)) throw error;
      throw new UserError(
        `A text in ${name} is damaged, or no key of ${config.secretsFile} opens it: put its key in otherEncryptionKeys (docs/deploy/keys.md).`,
        { cause: error },
      );
    }
  }
  // Counted last: a server that still seals with another key may have written during the run.
  let remainingCount = 0;
  for (const column of sealedColumns) remainingCount += await countSealedWithOtherKeys(database, secretBox, column);
  if (remainingCount > 0) {
    print(
      `${remainingCount} are left: commands worked on them, or a node still encrypts with another key. Run it again in ten minutes. Keep every key until then.\n`,
    );
    return 1;
  }
  // Afterwards a node that has only another key refuses to start.
  await renewCheck(database, secretBox);
  print(
    'Everything is encrypted with the key of the secrets file. The other keys are needed by backups made before.\n',
  );
  return 0;
}, LONG);

function batchOption(args: string[]): number {
  const usageError = new UserError('Write `krapao reencrypt [--batch ROWS]`: ROWS is a number from 1 to 10000.');
  try {
    const { batch } = parseArgs({ args, options: { batch: { type: 'string' } } }).values;
    const rows = batch === undefined ? BATCH_ROWS : Number(batch);
    if (!Number.isInteger(rows) || rows < 1 || rows > 10_000) throw usageError;
    return rows;
  } catch {
    throw usageError;
  }
}

export const copyDatabase = withDatabase(async ([target], { url, print }) => {
  if (target === undefined || !isDatabaseUrl(target)) throw new UserError(COPY_DATABASE_USAGE);
  const copiedTables = await copyTables(url, target).catch((error: unknown) => {
    const explanation = explainDatabaseFailure(error, 'DATABASE_URL or the target');
    throw explanation ? new UserError(explanation, { cause: error }) : error;
  });
  for (const { table, rows } of copiedTables) print(`${table}: ${rows}\n`);
  print(`${copiedTables.length} tables are the same in both databases.\n`);
  return 0;
}, LONG);
