import { type Database, processInstance, type Queryable } from '../database/database.ts';
import { monotonicMs, sleep } from '../time.ts';
import type { WorkTable } from './failed-work.ts';
import { type Job, type JobLog, startPeriodicJob } from './job.ts';

/** SQL that leases a row to this process until a time, which is also the time at which the row is due again. */
export const leaseSql = (due: string, until: string): string =>
  `leased_by = lease_holder(), leased_to = ${until}, ${due} = ${until}`;

/** First key of the advisory locks of running processes (any fixed number). The second key names the process. */
const INSTANCE_LOCK_CLASS = 7_245_103;
const CHECK_EVERY_MS = 1_000;
/** Time for a running process that lost its session to lock its instance again. */
const RECONNECT_GRACE_MS = 2_000;

/** Holds a lock that proves to other processes that this one runs, until the session of `on` ends. */
export async function lockInstance(on: Queryable): Promise<void> {
  await on.query('select pg_advisory_lock($1, $2)', [INSTANCE_LOCK_CLASS, processInstance]);
  await on.query('insert into program_instance (id) values ($1) on conflict do nothing', [processInstance]);
}

/** Releases the leases of processes whose sessions have ended. */
export function startReleasingLeases(
  database: Database,
  tables: readonly WorkTable[],
  { log, now }: { log: JobLog; now: () => number },
): Job {
  const endedSince = new Map<number, number>();
  return startPeriodicJob({
    name: 'release leases of ended processes',
    everyMs: CHECK_EVERY_MS,
    log,
    run: async () => {
      const ended = await selectEndedInstances(database);
      for (const id of endedSince.keys()) if (!ended.includes(id)) endedSince.delete(id);
      for (const id of ended) {
        if (!endedSince.has(id)) endedSince.set(id, now());
        if (now() - (endedSince.get(id) ?? 0) >= RECONNECT_GRACE_MS) await releaseLeasesOf(database, id, tables);
      }
    },
  });
}

async function selectEndedInstances(on: Queryable): Promise<number[]> {
  const { rows } = await on.query<{ id: number }>(
    `select p.id from program_instance p where not exists (
       select from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid = p.id and l.objsubid = 2
          and l.granted and l.database = (select oid from pg_database where datname = current_database()))`,
    [INSTANCE_LOCK_CLASS],
    { name: 'instances-ended' },
  );
  return rows.map(({ id }) => id);
}

/** Releases all leases of a process, unless it runs or another process releases them. */
async function releaseLeasesOf(database: Database, id: number, tables: readonly WorkTable[]): Promise<void> {
  await database.tx(async (tx) => {
    const { rows } = await tx.query<{ isEnded: boolean }>('select pg_try_advisory_xact_lock($1, $2) as "isEnded"', [
      INSTANCE_LOCK_CLASS,
      id,
    ]);
    if (!rows[0]?.isEnded) return;
    for (const { table, due, lease, open } of tables) {
      const held = lease ? `w.leased_by is not null and w.${lease} > now() and ${open}` : `w.leased_to = w.${due}`;
      await tx.query(`update ${table} w set ${lease ?? due} = now() where w.leased_by = $1 and ${held}`, [id]);
    }
    await tx.query('delete from program_instance where id = $1', [id]);
  });
}

/** Longer than the timeout of an inquiry, 10 s. */
const INQUIRY_WAIT_MS = 15_000;
const INQUIRY_POLL_MS = 100;

/**
 * Runs an operator's command after a running inquiry, or after 15 s without it: a new fence excludes the lease holder.
 * @param attempt returns undefined, having changed nothing, if another process holds the lease and it may not take over
 */
export async function runAfterInquiry<Result>(
  attempt: (mayTakeOver: boolean) => Promise<Result | undefined>,
): Promise<Result> {
  const untilMs = monotonicMs() + INQUIRY_WAIT_MS;
  for (;;) {
    const mayTakeOver = monotonicMs() >= untilMs;
    const result = await attempt(mayTakeOver);
    if (result !== undefined) return result;
    if (mayTakeOver) throw new Error('an attempt with takeover has no result');
    await sleep(INQUIRY_POLL_MS);
  }
}
