import type { Database } from '../platform/database/database.ts';
import type { Clock } from '../platform/time.ts';
import { formatDuration, type Finding, createFindingFactory, formatSize } from './finding.ts';

type PostgresFacts = {
  number: number;
  version: string;
  fsync: string;
  fullPageWrites: string;
  synchronousCommit: string;
  synchronousNames: string;
  archiveMode: string;
  isStandby: boolean;
  isLocal: boolean;
  isEncrypted: boolean;
  nowMs: number;
  archiveFails: boolean;
  archivedFiles: number;
  connections: number;
  connectionsMax: number;
};
type StandbyRow = { name: string; mode: string; lagBytes: number; lagSeconds: number };
type ReplicationSlot = { name: string; keptBytes: number };

const OLDEST_MAJOR = 15;
/** Last day on which the PostgreSQL project publishes fixes of a major version. */
const FIXES_UNTIL: Readonly<Record<number, string>> = {
  15: '2027-11-11',
  16: '2028-11-09',
  17: '2029-11-08',
  18: '2030-11-14',
};
const VERSIONS_PER_MAJOR = 10_000;
const CLOCK_WARNING_SECONDS = 2;
const CLOCK_FAULT_SECONDS = 30;
const LAG_SECONDS = 60;
const LAG_BYTES = 64 * 1024 ** 2;
const CONNECTIONS_SHARE = 0.8;

/** `isSimulated`: its money is simulated, so nothing is lost with the disk. */
type DatabaseMode = { isEmbedded: boolean; isSimulated: boolean };

/** Checks PostgreSQL: version, durability, clock, connection encryption, connections, standbys, WAL archive. */
export async function checkPostgres(database: Database, clock: Clock, use: DatabaseMode): Promise<Finding[]> {
  const sentMs = clock.now().getTime();
  const facts = await selectFacts(database);
  // PostgreSQL read its clock about halfway between.
  const ownTimeMs = (sentMs + clock.now().getTime()) / 2;
  return [
    checkVersion(facts, clock),
    ...checkDurability(facts),
    checkClock(facts, ownTimeMs),
    checkConnectionEncryption(facts),
    checkConnections(facts),
    ...(facts.isStandby ? [] : checkStandbys(facts, await selectStandbys(database), use.isEmbedded)),
    ...checkArchive(facts, await selectUnusedSlots(database), use),
  ];
}

function checkVersion({ number, version }: PostgresFacts, clock: Clock): Finding {
  const { good, warning, fault } = createFindingFactory('PostgreSQL version');
  const majorVersion = Math.floor(number / VERSIONS_PER_MAJOR);
  if (majorVersion < OLDEST_MAJOR)
    return fault(`PostgreSQL is ${version}.`, 'Upgrade to 15 or later: this server needs it.');
  const supportedUntil = FIXES_UNTIL[majorVersion];
  if (supportedUntil !== undefined && clock.now() > new Date(supportedUntil)) {
    return warning(`PostgreSQL ${version} gets no fixes since ${supportedUntil}.`, 'Upgrade to a version that does.');
  }
  return good(`PostgreSQL is ${version}.`);
}

function checkDurability(facts: PostgresFacts): Finding[] {
  const { good, fault } = createFindingFactory('durability');
  const findings: Finding[] = [];
  for (const [name, value] of [
    ['fsync', facts.fsync],
    ['full_page_writes', facts.fullPageWrites],
    ['synchronous_commit', facts.synchronousCommit],
  ] as const) {
    if (value !== 'off') continue;
    findings.push(
      fault(
        `${name} is off: a power cut loses money that was acknowledged.`,
        `alter system set ${name} = on, and reload.`,
      ),
    );
  }
  return findings.length > 0 ? findings : [good(`fsync is on, synchronous_commit is ${facts.synchronousCommit}.`)];
}

function checkClock({ nowMs }: PostgresFacts, ownTimeMs: number): Finding {
  const { good, warning, fault } = createFindingFactory('clock');
  const differenceSeconds = Math.abs(nowMs - ownTimeMs) / 1000;
  const remedy = 'Synchronise both machines: timedatectl set-ntp true.';
  const sentence = `The clocks of this node and of the database are ${Math.round(differenceSeconds * 10) / 10} s apart.`;
  if (differenceSeconds > CLOCK_FAULT_SECONDS) return fault(sentence, remedy);
  return differenceSeconds > CLOCK_WARNING_SECONDS ? warning(sentence, remedy) : good(sentence);
}

function checkConnectionEncryption({ isLocal, isEncrypted }: PostgresFacts): Finding {
  const { good, warning } = createFindingFactory('connection to PostgreSQL');
  if (isLocal) return good('PostgreSQL runs on this machine.');
  if (isEncrypted) return good('The connection to PostgreSQL is encrypted.');
  return warning('The connection to PostgreSQL is not encrypted.', 'Add ?sslmode=verify-full to DATABASE_URL.');
}

function checkConnections({ connections, connectionsMax }: PostgresFacts): Finding {
  const { good, warning } = createFindingFactory('connections');
  const sentence = `${connections} of ${connectionsMax} connections of PostgreSQL are in use.`;
  if (connections < connectionsMax * CONNECTIONS_SHARE) return good(sentence);
  return warning(sentence, 'Raise max_connections, or lower DATABASE_CONNECTIONS of the nodes.');
}

function checkStandbys({ synchronousNames }: PostgresFacts, standbys: StandbyRow[], isEmbedded: boolean): Finding[] {
  const { good, warning, fault } = createFindingFactory('standbys');
  const synchronousStandbys = standbys.filter(({ mode }) => mode !== 'async');
  if (synchronousNames !== '' && synchronousStandbys.length === 0) {
    return [
      fault(
        'synchronous_standby_names is set, but no such standby is connected: every commit waits.',
        'Start the standby; docs/deploy/cluster-operation.md says when to go on without it.',
      ),
    ];
  }
  const laggingStandbys = standbys.filter(
    ({ lagBytes, lagSeconds }) => lagBytes > LAG_BYTES || lagSeconds > LAG_SECONDS,
  );
  const findings = laggingStandbys.map(({ name, lagBytes, lagSeconds }) =>
    warning(
      `The standby ${name} is ${formatSize(lagBytes)} and ${formatDuration(lagSeconds)} behind.`,
      'Look at its disk, its network and its log.',
    ),
  );
  if (standbys.length > 0 && synchronousStandbys.length === 0) {
    findings.push(
      warning(
        `${standbys.length} standbys, none of them synchronous: a failover loses acknowledged commits.`,
        'Set synchronous_standby_names, or synchronous_mode in Patroni.',
      ),
    );
  }
  if (standbys.length === 0 && !isEmbedded) {
    findings.push(
      warning('There is no standby: the loss of its machine stops everything.', 'Add one: docs/deploy/cluster.md.'),
    );
  }
  if (findings.length > 0) return findings;
  return [
    good(
      isEmbedded && standbys.length === 0
        ? 'None: the database is embedded.'
        : `${synchronousStandbys.length} synchronous.`,
    ),
  ];
}

function checkArchive(
  { archiveMode, archiveFails, archivedFiles, isStandby }: PostgresFacts,
  slots: ReplicationSlot[],
  { isEmbedded, isSimulated }: DatabaseMode,
): Finding[] {
  const { good, warning, fault } = createFindingFactory('archive');
  const findings: Finding[] = slots.map(({ name, keptBytes }) =>
    warning(
      `The replication slot ${name} is not in use and keeps ${formatSize(keptBytes)} of WAL: the disk will be full.`,
      `Start what reads it, or select pg_drop_replication_slot('${name}').`,
    ),
  );
  if (isStandby) {
    findings.push(
      fault(
        'DATABASE_URL is a standby, which takes no writes.',
        'Point it at the primary, or at a balancer that follows it.',
      ),
    );
  }
  if (archiveFails) {
    findings.push(
      fault(
        'The last WAL file could not be archived: there is no newer point in time to restore.',
        'See docs/runbooks/backups.md#archiving-fails.',
      ),
    );
  } else if (archiveMode !== 'off' && archivedFiles === 0 && !isStandby) {
    findings.push(
      warning(
        'No WAL file was archived yet.',
        'Run doctor again after a few minutes; then see docs/runbooks/backups.md#archiving-fails.',
      ),
    );
  } else if (archiveMode === 'off' && !(isEmbedded && isSimulated)) {
    findings.push(
      warning(
        'archive_mode is off: a backup restores to its own moment only.',
        `${isEmbedded ? 'Set WAL_ARCHIVE' : 'Archive WAL'}: docs/deploy/backup.md.`,
      ),
    );
  }
  if (findings.length > 0) return findings;
  return [good(archiveMode === 'off' ? 'No WAL is archived: the money is simulated.' : 'WAL is archived.')];
}

async function selectFacts(database: Database): Promise<PostgresFacts> {
  const { rows } = await database.query<PostgresFacts>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('fsync') as fsync, current_setting('full_page_writes') as "fullPageWrites",
            current_setting('synchronous_commit') as "synchronousCommit",
            current_setting('synchronous_standby_names') as "synchronousNames",
            current_setting('archive_mode') as "archiveMode", pg_is_in_recovery() as "isStandby",
            coalesce(inet_server_addr() = inet_client_addr(), true) as "isLocal",
            coalesce((select ssl from pg_stat_ssl where pid = pg_backend_pid()), false) as "isEncrypted",
            (extract(epoch from clock_timestamp()) * 1000)::float8 as "nowMs",
            (select current_setting('archive_mode') <> 'off' and failed_count > 0 and last_failed_time > coalesce(last_archived_time, '-infinity')
               from pg_stat_archiver) as "archiveFails",
            (select archived_count::int from pg_stat_archiver) as "archivedFiles",
            (select count(*) from pg_stat_activity where backend_type = 'client backend')::int as connections,
            current_setting('max_connections')::int as "connectionsMax"`,
  );
  const [facts] = rows;
  if (!facts) throw new Error('PostgreSQL returned no settings');
  return facts;
}

async function selectStandbys(database: Database): Promise<StandbyRow[]> {
  const { rows } = await database.query<StandbyRow>(
    `select application_name as name, coalesce(sync_state, 'async') as mode,
            coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), replay_lsn), 0)::float8 as "lagBytes",
            coalesce(extract(epoch from replay_lag), 0)::float8 as "lagSeconds"
       from pg_stat_replication where state <> 'backup'`,
  );
  return rows;
}

async function selectUnusedSlots(database: Database): Promise<ReplicationSlot[]> {
  const { rows } = await database.query<ReplicationSlot>(
    `select slot_name as name, pg_wal_lsn_diff(case when pg_is_in_recovery() then pg_last_wal_receive_lsn()
              else pg_current_wal_lsn() end, restart_lsn)::float8 as "keptBytes"
       from pg_replication_slots where not active and restart_lsn is not null`,
  );
  return rows;
}
