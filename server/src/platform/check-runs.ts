import type { Queryable } from './database/database.ts';

/** A check of the books that a timer runs every night. */
export type CheckName = 'audit' | 'reconcile';
/** The last run of a check. `wrong`: checks that failed, or differences without an explanation. */
export type CheckRun = { name: CheckName; endedAt: Date; wrong: number };

/** Records a run that ended, for doctor. A standby takes no writes: a run there is not recorded. */
export async function recordCheckRun(on: Queryable, name: CheckName, wrong: number): Promise<void> {
  const { rows } = await on.query<{ isStandby: boolean }>('select pg_is_in_recovery() as "isStandby"');
  if (rows[0]?.isStandby) return;
  await on.query(
    `insert into check_run (name, wrong) values ($1, $2)
     on conflict (name) do update set wrong = excluded.wrong, ended_at = excluded.ended_at`,
    [name, wrong],
  );
}

/** The last run of each check that has ever ended. */
export async function selectCheckRuns(on: Queryable): Promise<CheckRun[]> {
  const { rows } = await on.query<CheckRun>('select name, ended_at as "endedAt", wrong from check_run');
  return rows;
}
