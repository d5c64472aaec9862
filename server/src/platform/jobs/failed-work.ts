import type { Queryable } from '../database/database.ts';
import { storableText } from '../storable-text.ts';
import { refreshingCache } from './cache.ts';

/** A table whose rows a loop processes. All fields but column names are SQL over the table, with the alias `w`. */
export type WorkTable = {
  table: string;
  /** Column that identifies a row. */
  key: string;
  keyType: 'uuid' | 'text';
  /** Column with the time at which a row is due. */
  due: string;
  /** Column of the lease, if it is not the time at which a row is due. */
  lease?: 'leased_until';
  /** SQL condition of rows that the loop still has to process. */
  open: string;
  /** SQL of the name of a row for operators. */
  label: string;
  /** SQL of consecutive attempts without a result that the table counts itself, such as silences of a counterparty. */
  counted?: { attempts: string; error: string; since: string };
};

/** Failed attempts of the rows of one table, on all nodes. */
export type FailedWork = {
  /** Counts a failed attempt, ends the lease of this process, and postpones the row: 2, 4, 8 … s, then 5 minutes. */
  record(key: string, error: unknown): Promise<void>;
  /** Deletes the count of a row that was processed. */
  forget(key: string): Promise<void>;
};

/** Attempts from which queues report an item as failing. */
const FAILING_ATTEMPTS = 10;
const ERROR_CHARACTERS_MAX = 300;
/** Shorter than the first back-off, so that a node that claims an item has its failures on other nodes. */
const CACHE_MS = 1_500;

/** Writes only on a failure and on the first success after it; rarely reads the keys of failing items. */
export function failedWork(on: Queryable, { table, key, keyType, due, lease, open }: WorkTable): FailedWork {
  const heldHere = `w.leased_by = lease_holder() and w.${lease ?? 'leased_to'} ${lease ? '> now()' : `= w.${due}`}`;
  const endLease = lease && lease !== due ? `, ${lease} = case when ${heldHere} then now() else w.${lease} end` : '';
  const readFailingItems = refreshingCache(async () => {
    const { rows } = await on.query<{ item: string }>('select item from failed_work where table_name = $1', [table], {
      name: 'failed-work-keys',
    });
    return new Set(rows.map(({ item }) => item));
  }, CACHE_MS);
  const failedInProcess = new Set<string>();
  return {
    record: async (item, error) => {
      failedInProcess.add(item);
      const { rows } = await on.query<{ attempts: number }>(
        `insert into failed_work as f (table_name, item, error) values ($1, $2, $3)
         on conflict (table_name, item) do update set error = excluded.error, last_at = now(),
           attempts = case when f.last_at < now() - interval '1 hour' then 1 else f.attempts + 1 end,
           first_at = case when f.last_at < now() - interval '1 hour' then now() else f.first_at end
         returning attempts`,
        [table, item, errorText(error)],
      );
      await on.query(
        `update ${table} w set ${due} = greatest(case when ${heldHere} then now() else w.${due} end,
            now() + least(2 ^ least($2::int, 9), 300) * interval '1 s')${endLease}
          where w.${key} = $1::${keyType} and ${open}`,
        [item, rows[0]?.attempts ?? 1],
      );
    },
    forget: async (item) => {
      if (!failedInProcess.delete(item) && !(await readFailingItems()).has(item)) return;
      await on.query('delete from failed_work where table_name = $1 and item = $2', [table, item]);
    },
  };
}

const errorText = (error: unknown): string =>
  storableText(error instanceof Error ? error.message || error.name : String(error), ERROR_CHARACTERS_MAX);

export type FailingItem = { queue: string; item: string; attempts: number; error: string; ageMs: number };

/** Queue items that failed ten times in a row, whatever the cause; most attempts first. */
export async function selectFailing(
  on: Queryable,
  sources: readonly { queue: string; work: readonly WorkTable[] }[],
): Promise<FailingItem[]> {
  const selections = sources.flatMap(({ queue, work }) => work.map((table) => `(${failingSql(queue, table)})`));
  const { rows } = await on.query<FailingItem>(
    `select queue, item, attempts, left(error, ${ERROR_CHARACTERS_MAX}) as error,
            (extract(epoch from now() - since) * 1000)::float8 as "ageMs"
       from (${selections.join(' union all ')}) failing (queue, item, attempts, error, since)
      order by attempts desc, item limit 1000`,
  );
  return rows;
}

function failingSql(queue: string, { table, key, keyType, open, label, counted }: WorkTable): string {
  const failedSql = `from failed_work f where f.table_name = '${table}' and f.attempts >= ${FAILING_ATTEMPTS}`;
  const thrownSql = `select '${queue}', ${label}::text, f.attempts, f.error, f.first_at
    from (select * ${failedSql}) f join ${table} w on w.${key} = f.item::${keyType} where ${open}`;
  if (!counted) return thrownSql;
  return `${thrownSql} union all
    select '${queue}', ${label}::text, ${counted.attempts}::int, ${counted.error}, ${counted.since}
      from ${table} w where ${open} and ${counted.attempts} >= ${FAILING_ATTEMPTS}
       and not exists (select ${failedSql} and f.item = w.${key}::text)`;
}

/** A failing item as a line of an operator's list. */
export const failingItem = ({ item, attempts, error, ageMs }: FailingItem): string =>
  `FAULT ${item}  tried ${attempts} times in ${Math.floor(ageMs / 60_000)} min: ${error}\n`;
