import { type Database, processInstance, type Queryable } from '../database/database.ts';
import type { WorkTable } from './failed-work.ts';
import { type Job, type JobLog, startPeriodicJob } from './job.ts';
import { monotonicMs, sleep } from '../time.ts';

/** SQL that leases a row to this process until a time, which is also the time at which the row is due again. */
export const leaseSql = (due: string, until: string): string =>
  `leased_by = lease_holder(), leased_to = ${until}, ${due} = ${until}`;

/** First key of the advisory locks of running processes (any fixed number). The second key names the process. */
const INSTANCE_LOCK_CLASS = 7_245_103;
const CHECK_EVERY_MS = 1_000;
/** A process that lost its session takes the lock again within this time, if it still runs. */
const GONE_AFTER_MS = 2_000;

/** Announces this process to those that release the leases of ended ones, while the session of `on` is open. */
export async function holdInstance(on: Queryable): Promise<void> {
  await on.query('select pg_advisory_lock($1, $2)', [INSTANCE_LOCK_CLASS, processInstance]);
  await on.query('insert into program_instance (id) values ($1) on conflict do nothing', [processInstance]);
}

/** Releases the leases of processes whose sessions have ended. */
export function releaseLeases(
  database: Database,
  tables: readonly WorkTable[],
  { log, now }: { log: JobLog; now: () => number },
): Job {
  const goneSince = new Map<number, number>();
  return startPeriodicJob({
    name: 'release leases of ended processes',
    everyMs: CHECK_EVERY_MS,
    log,
    run: async () => {
      const gone = await selectGone(database);
      for (const id of goneSince.keys()) if (!gone.includes(id)) goneSince.delete(id);
      for (const id of gone) {
        if (!goneSince.has(id)) goneSince.set(id, now());
        if (now() - (goneSince.get(id) ?? 0) >= GONE_AFTER_MS) await releaseLeasesOf(database, id, tables);
      }
    },
  });
}

async function selectGone(on: Queryable): Promise<number[]> {
  const { rows } = await on.query<{ id: number }>(
    `select p.id from program_instance p where not exists (
       select from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid = p.id and l.objsubid = 2
          and l.granted and l.database = (select oid from pg_database where datname = current_database()))`,
    [INSTANCE_LOCK_CLASS],
    { name: 'instances-gone' },
  );
  return rows.map(({ id }) => id);
}

/** Releases all leases of a process in one transaction. Does nothing if the process runs, or another releases them. */
async function releaseLeasesOf(database: Database, id: number, tables: readonly WorkTable[]): Promise<void> {
  await database.tx(async (tx) => {
    const { rows } = await tx.query<{ isGone: boolean }>('select pg_try_advisory_xact_lock($1, $2) as "isGone"', [
      INSTANCE_LOCK_CLASS,
      id,
    ]);
    if (!rows[0]?.isGone) return;
    for (const { table, due, lease, open } of tables) {
      const held = lease ? `w.leased_by is not null and w.${lease} > now() and ${open}` : `w.leased_to = w.${due}`;
      await tx.query(`update ${table} w set ${lease ?? due} = now() where w.leased_by = $1 and ${held}`, [id]);
    }
    await tx.query('delete from program_instance where id = $1', [id]);
  });
}

/** An inquiry takes at most a timeout of 10 s; the lease of a killed process may last longer. */
const INQUIRY_WAIT_MS = 15_000;
const INQUIRY_POLL_MS = 100;

/**
 * Attempts an operator's command until no inquiry is running, whose result goes first. After 15 s the last attempt takes
 * the row over: its new fence excludes the lease holder.
 * @param attempt returns undefined, having changed nothing, if another process holds the lease and it may not take over
 */
export async function afterRunningInquiry<Result>(
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
