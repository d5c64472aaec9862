import { checkBackups } from '../doctor/check-backups.ts';
import { checkCalls } from '../doctor/check-calls.ts';
import { checkCollations, checkPooler, checkWraparound } from '../doctor/check-database-state.ts';
import { checkPostgres } from '../doctor/check-database.ts';
import { checkWrittenFolders, writtenFolders } from '../doctor/check-disk.ts';
import { checkConfiguration, checkOutsideFile, checkSecrets } from '../doctor/check-files.ts';
import { checkBooks, checkSwitches } from '../doctor/check-operations.ts';
import { checkOwnServer } from '../doctor/check-own-server.ts';
import { checkTls } from '../doctor/check-tls.ts';
import { checkEncryption, checkFeeds, checkQueues } from '../doctor/check-work.ts';
import type { Check } from '../doctor/check.ts';
import { examineGoLive } from '../go-live.ts';
import { queues, sealedColumns } from '../inventory.ts';
import {
  enabledFeeds,
  selectFeedReads,
  selectOpenLines,
  selectUnreadFeeds,
} from '../modules/deposit/bank-transfer/index.ts';
import { hasParty, listSwitches, selectOperatorRows } from '../modules/operator-data/index.ts';
import type { Outside } from '../outside-config.ts';
import { partiesOf } from '../outside-parties.ts';
import { openProbes } from '../outside-probes.ts';
import { selectCheckRuns } from '../platform/check-runs.ts';
import type { Config } from '../platform/config.ts';
import { readEncryptionKeys } from '../platform/crypto/encryption.ts';
import type { Database } from '../platform/database/database.ts';
import { UserError } from '../platform/errors.ts';
import type { Clock } from '../platform/time.ts';

export type InstallationContext = {
  config: Config;
  clock: Clock;
  /** Whether every setting has an allowed value. If not, `config` has only paths, and defaults else. */
  isConfigured: boolean;
  /** @throws {UserError} the outside file is missing or invalid */
  readOutside: () => Outside;
};
/** `silentPaths`: paths whose file system does not reply. */
export type DatabaseCheckContext = InstallationContext & { database: Database; silentPaths: ReadonlySet<string> };

/** Checks without the database, in the order of their findings. They run concurrently. */
export const INSTALLATION_CHECKS: readonly Check<InstallationContext>[] = [
  {
    name: 'configuration',
    reads: outsideFile,
    run: ({ config, isConfigured, readOutside }) =>
      isConfigured ? checkConfiguration(config, readOrUndefined(readOutside)) : [],
  },
  {
    name: 'secrets',
    reads: ({ config }) => [config.secretsFile],
    run: ({ config, clock }) => checkSecrets(config, clock),
  },
  {
    name: 'outside file',
    reads: outsideFile,
    run: ({ config, readOutside, clock }) => checkOutsideFile(config, readOutside, clock),
  },
  {
    name: 'disk',
    reads: ({ config }) => writtenFolders(config),
    run: ({ config }) => checkWrittenFolders(config),
  },
  {
    name: 'server',
    run: ({ config, isConfigured, clock }) => (isConfigured ? checkOwnServer(config, clock) : []),
  },
  {
    name: 'backups',
    reads: ({ config: { backupFolder, walArchive } }) => [backupFolder ?? [], walArchive ?? []].flat(),
    run: ({ config, clock }) => checkBackups(config, clock),
  },
  {
    name: 'TLS',
    reads: outsideFile,
    run: async ({ config, isConfigured, readOutside, clock }) => {
      const outside = readOrUndefined(readOutside);
      const { objectStorage: storage } = config;
      const storageUrl = storage.kind === 's3' ? storage.endpoint : undefined;
      return outside && isConfigured && !config.simulators ? checkTls(outside, storageUrl, clock) : [];
    },
  },
];

/** Longest wait for a reply of a counterparty, and longest duration of its calls. */
const CALL_LIMITS_MS = { reply: 5_000, party: 5_500 };

/** Calls every counterparty, for `--calls`. Fails without an outside file: then none was called. */
export const CALLS_CHECK: Check<InstallationContext> = {
  name: 'calls',
  reads: outsideFile,
  run: ({ readOutside, clock }) =>
    checkCalls(openProbes(readOutside(), clock, CALL_LIMITS_MS.reply), CALL_LIMITS_MS.party),
};

/** Checks of the database, in the order in which they run. */
export const DATABASE_CHECKS: readonly Check<DatabaseCheckContext>[] = [
  {
    name: 'PostgreSQL',
    run: ({ database, clock, config }) =>
      checkPostgres(database, clock, { isEmbedded: config.databaseUrl === undefined, isSimulated: config.simulators }),
  },
  { name: 'pooler', run: ({ database }) => checkPooler(database) },
  { name: 'collation', run: ({ database }) => checkCollations(database) },
  { name: 'transaction ids', run: ({ database }) => checkWraparound(database) },
  { name: 'queues', run: ({ database }) => checkQueues(database, queues) },
  { name: 'books', run: async ({ database, clock }) => checkBooks(await selectCheckRuns(database), clock) },
  { name: 'switches', run: async ({ database }) => checkSwitches(await listSwitches(database)) },
  {
    name: 'feeds',
    run: async (context) => {
      const { database } = context;
      return checkFeeds({
        expected: await selectExpectedFeeds(context),
        unread: await selectUnreadFeeds(database),
        reads: await selectFeedReads(database),
        openLines: (await selectOpenLines(database)).length,
      });
    },
  },
  {
    name: 'counterparties',
    reads: outsideFile,
    run: async ({ database, config, isConfigured, readOutside, clock }) => {
      const outside = readOrUndefined(readOutside);
      if (!outside || !isConfigured || config.simulators) return [];
      return examineGoLive({ ...config, database, outside, clock });
    },
  },
  {
    name: 'encryption at rest',
    reads: ({ config }) => [config.secretsFile],
    run: async ({ database, config }) => {
      const keys = readOrUndefined(() => readEncryptionKeys(config.secretsFile));
      return keys ? checkEncryption(database, keys, sealedColumns) : [];
    },
  },
];

/** Feeds that a server with this outside file reads; none where the file can't be read. */
async function selectExpectedFeeds({
  database,
  config,
  readOutside,
  clock,
  silentPaths,
}: DatabaseCheckContext): Promise<string[]> {
  const outside = silentPaths.has(config.outsideFile) ? undefined : readOrUndefined(readOutside);
  if (!outside) return [];
  const parties = partiesOf(outside, clock);
  const { depositAccounts, walletAccounts } = await selectOperatorRows(database);
  return enabledFeeds({
    depositAccounts: depositAccounts.filter((account) => hasParty(parties, account)),
    walletAccounts: walletAccounts.filter(({ accountNo }) => accountNo === parties.walletAppPhone),
  });
}

function outsideFile({ config }: InstallationContext): string[] {
  return [config.outsideFile];
}

/** Undefined when a file is invalid; its own check reports it. */
function readOrUndefined<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}
