import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';

/** A limit that a caller has used up. */
export type UsedLimit = { name: string; until: Date };

/** The caller of a key: `NAME:CALLER`, or `NAME:CALLER@NETWORK`. */
const LIMITED_CALLER_SQL = `split_part(substr(r.key, strpos(r.key, ':') + 1), '@', 1)`;
const IS_ATTEMPT_SQL = `r.key ~ '^(login|password|register|otp)\\.'`;

/** Limits of failed attempts and codes that a phone or member has used up. */
export async function selectUsedAttempts(on: Queryable, callers: readonly string[]): Promise<UsedLimit[]> {
  const { rows } = await on.query<UsedLimit>(
    `select l.name, max(r.window_start + make_interval(secs => l.window_seconds)) as until
       from rate_limit r join operator_data_limit l on l.name = split_part(r.key, ':', 1)
      where ${IS_ATTEMPT_SQL} and ${LIMITED_CALLER_SQL} = any($1) and r.hits >= l.hits
        and r.window_start + make_interval(secs => l.window_seconds) > now()
      group by l.name order by l.name`,
    [callers],
  );
  return rows;
}

/** Forgets failed attempts and codes of a phone or member. @returns whether there were any */
export async function clearFailedAttempts(tx: Tx, callers: readonly string[]): Promise<boolean> {
  // Locked in the order in which hits lock, so that both can't deadlock.
  const { rowCount } = await tx.query(
    `with locked as materialized (
       select r.key from rate_limit r
        where ${IS_ATTEMPT_SQL} and ${LIMITED_CALLER_SQL} = any(${hideFromPlanner('$1::text[]')}) order by r.key for update)
     delete from rate_limit r using locked l where r.key = l.key`,
    [callers],
  );
  return rowCount > 0;
}
