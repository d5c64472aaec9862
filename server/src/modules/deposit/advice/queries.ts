import type { Queryable } from '../../../platform/database/database.ts';
import type { MethodStat } from './advice.ts';

/** Statistics that are older count as unknown: the job does not run. */
const STALE_MS = 10 * 60_000;

export async function selectStats(on: Queryable): Promise<MethodStat[]> {
  const { rows } = await on.query<MethodStat>(
    `select method, currency, median_ms::float8 as "medianMs", samples, created, failed from deposit_method_stat
      where at > now() - $1 * interval '1 millisecond'`,
    [STALE_MS],
    { name: 'method-stats' },
  );
  return rows;
}

/** Whether any process has measured within `everyMs`. */
export async function isMeasured(on: Queryable, everyMs: number): Promise<boolean> {
  const { rows } = await on.query<{ isMeasured: boolean }>(
    `select exists (select from deposit_method_stat where at > now() - $1 * interval '1 millisecond') as "isMeasured"`,
    [everyMs],
    { name: 'method-stats-fresh' },
  );
  return rows[0]?.isMeasured ?? false;
}

/** Replaces the statistics. Methods without payments and codes lose theirs. */
export async function saveStats(on: Queryable, stats: readonly MethodStat[]): Promise<void> {
  await on.query(
    `with measured as (
       select * from jsonb_to_recordset($1) m(method text, currency currency, "medianMs" float8, samples int, created int, failed int)),
     forgotten as (
       delete from deposit_method_stat s
        where not exists (select from measured m where m.method = s.method and m.currency = s.currency))
     insert into deposit_method_stat (method, currency, median_ms, samples, created, failed, at)
     select method, currency, round("medianMs"), samples, created, failed, now() from measured order by method, currency
     on conflict (method, currency) do update set median_ms = excluded.median_ms, samples = excluded.samples,
       created = excluded.created, failed = excluded.failed, at = excluded.at`,
    [JSON.stringify(stats)],
    { name: 'method-stats-save' },
  );
}
