import { setTimeout as wait } from 'node:timers/promises';
import { audit } from '@krapao/server/src/ledger/index.ts';
import { deleteSessionsExpiredBefore } from '@krapao/server/src/modules/account/queries.ts';
import { deleteInactiveVisitors } from '@krapao/server/src/modules/chat/queries.ts';
import { deleteIdentifiersBefore, deleteOtpsBefore } from '@krapao/server/src/modules/otp/queries.ts';
import { type Database, openDatabase } from '@krapao/server/src/platform/database/database.ts';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { readCpu } from '../process-tree.ts';
import type { System } from '../product/system.ts';

/** Cost of one run of a job: CPU and time in ms; idle work per second. */
export type JobCost = { name: string; apiMs: number; postgresMs: number; tookMs: number };

const IDLE_S = 20;
const SCRAPE_COUNT = 10;
const DAY_MS = 86_400_000;
const SILENT_DAYS = 30;
const DUE_CONDITIONS = 50;
const CHECK_TIMEOUT_MS = 120_000;
const POLL_MS = 200;

type Sweep = { name: string; run: (database: Database) => Promise<void> };

/** Hourly sweeps without rows to remove. */
const SWEEPS: readonly Sweep[] = [
  { name: 'sweep sessions', run: (database) => deleteSessionsExpiredBefore(database, daysAgo(30)) },
  { name: 'sweep codes', run: (database) => deleteOtpsBefore(database, daysAgo(2)) },
  { name: 'sweep known callers', run: (database) => deleteIdentifiersBefore(database, daysAgo(400)) },
  { name: 'sweep visitors', run: (database) => deleteInactiveVisitors(database, SILENT_DAYS) },
];

const daysAgo = (days: number): Date => new Date(Date.now() - days * DAY_MS);

/** Measures idle work, a scrape of the metrics, the check of a condition, and the hourly sweeps. */
export async function measureJobs(system: System): Promise<JobCost[]> {
  // Spreads the checks over an hour, independent of the age of the fill.
  await setDueTime(system, `now() + (abs(hashtext(id::text)) % 3600) * interval '1 second'`);
  const costs = [await measureCost(system, 'idle, per second', IDLE_S, () => wait(IDLE_S * 1_000))];
  costs.push(
    await measureCost(system, 'scrape of /metrics', SCRAPE_COUNT, async () => {
      for (let turn = 0; turn < SCRAPE_COUNT; turn += 1) await fetchMetrics(system);
    }),
  );
  costs.push(await measureCost(system, 'check of a condition', DUE_CONDITIONS, () => checkConditions(system)));
  await withDatabase(system, async (database) => {
    for (const { name, run } of SWEEPS) {
      // The first run removes rows that the fill left.
      await run(database);
      costs.push(await measureCost(system, name, 1, () => run(database)));
    }
  });
  // No checks during the measurement of commands.
  await setDueTime(system, `now() + interval '1 day'`);
  return costs;
}

/** Sets the due time of open conditions. */
async function setDueTime({ operator }: System, sql: string): Promise<void> {
  await operator.query(`update incentive_condition set look_at = ${sql} where state = 'ACTIVE' and not is_told`);
  await operator.query('vacuum incentive_condition');
}

/** Runs the ledger audits. @returns a summary @throws {Error} violations */
export async function auditBooks(system: System): Promise<string> {
  const startedAtMs = monotonicMs();
  const audits = await withDatabase(system, audit);
  const violatedAudits = audits.filter(({ violations }) => violations > 0);
  if (violatedAudits.length > 0)
    throw new Error(violatedAudits.map(({ name, violations }) => `WRONG: ${violations} ${name}`).join('\n'));
  return `${audits.length} audits right in ${Math.round((monotonicMs() - startedAtMs) / 1_000)} s`;
}

/** Makes some open conditions due and waits until the job has checked each. */
async function checkConditions({ operator }: System): Promise<void> {
  await operator.query(
    `update incentive_condition set look_at = 'epoch' where id in (
       select id from incentive_condition where state = 'ACTIVE' and not is_told order by look_at desc limit $1)`,
    [DUE_CONDITIONS],
  );
  for (let waitedMs = 0; waitedMs < CHECK_TIMEOUT_MS; waitedMs += POLL_MS) {
    const { rowCount } = await operator.query(
      `select from incentive_condition where look_at = 'epoch' and not is_told`,
    );
    if (rowCount === 0) return;
    await wait(POLL_MS);
  }
  throw new Error('due conditions were not checked in time');
}

async function fetchMetrics({ api }: System): Promise<void> {
  const reply = await fetch(`${api.address}/metrics`);
  if (!reply.ok) throw new Error(`/metrics replied ${reply.status}`);
  await reply.text();
}

async function measureCost(system: System, name: string, times: number, run: () => Promise<void>): Promise<JobCost> {
  const read = () => {
    const cpu = readCpu();
    const { api, postgres } = system.pids;
    return { api: cpu.of(api, [postgres]), postgres: cpu.of(postgres, [system.operatorPid]), at: monotonicMs() };
  };
  const cpuBefore = read();
  await run();
  const cpuAfter = read();
  return {
    name,
    apiMs: (cpuAfter.api - cpuBefore.api) / times,
    postgresMs: (cpuAfter.postgres - cpuBefore.postgres) / times,
    tookMs: (cpuAfter.at - cpuBefore.at) / times,
  };
}

async function withDatabase<T>({ operator }: System, run: (database: Database) => Promise<T>): Promise<T> {
  const { host, user = '', database: name = '' } = operator;
  const database = openDatabase({ url: `postgresql://${user}@/${name}?host=${encodeURIComponent(host)}`, size: 1 });
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}
