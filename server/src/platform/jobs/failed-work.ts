import type { Queryable } from '../database/database.ts';
import { storableText } from '../storable-text.ts';
import { refreshingCache } from './cache.ts';

/** Rows that a loop works on. All but the names of columns is SQL over the table, which is called `w`. */
export type WorkTable = {
  table: string;
  /** Column with the identity of a row. */
  key: string;
  keyType: 'uuid' | 'text';
  /** Column with the time at which a row is due. */
  due: string;
  /** Condition of rows that the loop still has to process. */
  open: string;
  /** What operators call a row. */
  label: string;
  /** Attempts in a row without a result that the table counts itself, such as silences of a counterparty. */
  counted?: { attempts: string; error: string; since: string };
};

/** Failed attempts of the rows of one table, of all nodes. */
export type FailedWork = {
  /** Counts a failed attempt and postpones the row: 2, 4, 8 … s, then 5 minutes, and never before its lease ends. */
  record(key: string, error: unknown): Promise<void>;
  /** Deletes what was counted for a row that was processed. */
  forget(key: string): Promise<void>;
};

/** From this many attempts on an item is a fault wherever its queue is shown. */
const ATTEMPTS_OF_FAULT = 10;
const ERROR_CHARACTERS = 300;
/** Shorter than the first pause: a node that claims an item knows of its failures on others. */
const KNOWN_FOR_MS = 1_500;

/** Writes only on a failure and on the first success after it; rarely reads the keys of failing items. */
export function failedWork(on: Queryable, { table, key, keyType, due, open }: WorkTable): FailedWork {
  const failing = refreshingCache(async () => {
    const { rows } = await on.query<{ item: string }>('select item from failed_work where table_name = $1', [table], {
      name: 'failed-work-keys',
    });
    return new Set(rows.map(({ item }) => item));
  }, KNOWN_FOR_MS);
  const failedHere = new Set<string>();
  return {
    record: async (item, error) => {
      failedHere.add(item);
      const { rows } = await on.query<{ attempts: number }>(
        `insert into failed_work as f (table_name, item, error) values ($1, $2, $3)
         on conflict (table_name, item) do update set error = excluded.error, last_at = now(),
           attempts = case when f.last_at < now() - interval '1 hour' then 1 else f.attempts + 1 end,
           first_at = case when f.last_at < now() - interval '1 hour' then now() else f.first_at end
         returning attempts`,
        [table, item, errorText(error)],
      );
      await on.query(
        `update ${table} w set ${due} = greatest(w.${due}, now() + least(2 ^ least($2::int, 9), 300) * interval '1 s')
          where w.${key} = $1::${keyType} and ${open}`,
        [item, rows[0]?.attempts ?? 1],
      );
    },
    forget: async (item) => {
      if (!failedHere.delete(item) && !(await failing()).has(item)) return;
      await on.query('delete from failed_work where table_name = $1 and item = $2', [table, item]);
    },
  };
}

const errorText = (error: unknown): string =>
  storableText(error instanceof Error ? error.message || error.name : String(error), ERROR_CHARACTERS);

export type FailingItem = { queue: string; item: string; attempts: number; error: string; ageMs: number };

/** Items of queues that were tried ten times in a row without success, whatever the cause; most attempts first. */
export async function selectFailing(
  on: Queryable,
  sources: readonly { queue: string; work: readonly WorkTable[] }[],
): Promise<FailingItem[]> {
  const parts = sources.flatMap(({ queue, work }) => work.map((table) => `(${failingSql(queue, table)})`));
  const { rows } = await on.query<FailingItem>(
    `select queue, item, attempts, left(error, ${ERROR_CHARACTERS}) as error,
            (extract(epoch from now() - since) * 1000)::float8 as "ageMs"
       from (${parts.join(' union all ')}) failing (queue, item, attempts, error, since)
      order by attempts desc, item limit 1000`,
  );
  return rows;
}

function failingSql(queue: string, { table, key, keyType, open, label, counted }: WorkTable): string {
  const failed = `from failed_work f where f.table_name = '${table}' and f.attempts >= ${ATTEMPTS_OF_FAULT}`;
  const thrown = `select '${queue}', ${label}::text, f.attempts, f.error, f.first_at
    from (select * ${failed}) f join ${table} w on w.${key} = f.item::${keyType} where ${open}`;
  if (!counted) return thrown;
  return `${thrown} union all
    select '${queue}', ${label}::text, ${counted.attempts}::int, ${counted.error}, ${counted.since}
      from ${table} w where ${open} and ${counted.attempts} >= ${ATTEMPTS_OF_FAULT}
       and not exists (select ${failed} and f.item = w.${key}::text)`;
}

/** A line of an operator's list. */
export const failingItem = ({ item, attempts, error, ageMs }: FailingItem): string =>
  `FAULT ${item}  tried ${attempts} times in ${Math.floor(ageMs / 60_000)} min: ${error}\n`;
