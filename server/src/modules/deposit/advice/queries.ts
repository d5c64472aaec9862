import type { Queryable } from '../../../platform/database/database.ts';
import type { MethodStat } from './advice.ts';

/** Statistics that are older count as unknown: the job does not run. */
const STALE_MS = 10 * 60_000;

export async function selectStats(on: Queryable): Promise<MethodStat[]> {
  const { rows } = await on.query<MethodStat>(
    `select way, currency, median_ms::float8 as "medianMs", samples, created, failed from deposit_way_stat
      where at > now() - $1 * interval '1 millisecond'`,
    [STALE_MS],
    { name: 'way-stats' },
  );
  return rows;
}

/** Whether any process has measured within `everyMs`. */
export async function isMeasured(on: Queryable, everyMs: number): Promise<boolean> {
  const { rows } = await on.query<{ isMeasured: boolean }>(
    `select exists (select from deposit_way_stat where at > now() - $1 * interval '1 millisecond') as "isMeasured"`,
    [everyMs],
    { name: 'way-stats-fresh' },
  );
  return rows[0]?.isMeasured ?? false;
}

/** Replaces the statistics. Methods without payments and codes lose theirs. */
export async function saveStats(on: Queryable, stats: readonly MethodStat[]): Promise<void> {
  await on.query(
    `with measured as (
       select * from jsonb_to_recordset($1) m(way text, currency currency, "medianMs" float8, samples int, created int, failed int)),
     forgotten as (
       delete from deposit_way_stat s
        where not exists (select from measured m where m.way = s.way and m.currency = s.currency))
     insert into deposit_way_stat (way, currency, median_ms, samples, created, failed, at)
     select way, currency, round("medianMs"), samples, created, failed, now() from measured order by way, currency
     on conflict (way, currency) do update set median_ms = excluded.median_ms, samples = excluded.samples,
       created = excluded.created, failed = excluded.failed, at = excluded.at`,
    [JSON.stringify(stats)],
    { name: 'way-stats-save' },
  );
}
