import { sleep } from '../time.ts';
import type { Database } from '../database/database.ts';
import type { SecretBox } from './secret-box.ts';

/** A column of sealed texts. All names are the program's own. */
export type SealedColumn = {
  table: string;
  column: string;
  /** Name and type of each part of the primary key. */
  key: readonly (readonly [name: string, type: string])[];
  /** What a text is bound to, by the primary key of its row. */
  context(key: readonly string[]): string;
  /** Condition under which no command in progress may write back what it has read from the row. */
  idle: string;
};

type Row = { key: string[]; sealed: Buffer; isIdle: boolean };

/** The app's own statements on a row wait for a batch no longer than for one another. */
const PAUSE_MS = 10;
const COUNTED_AT_ONCE = 1_000;

/**
 * Re-encrypts what was sealed with another key than the present one, in batches that commit on their own, while servers
 * run: a row that has changed since it was read, is locked or not idle is left for the next time.
 */
export async function reencryptColumn(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
  options: { batch: number; onBatch: (done: number) => void },
): Promise<void> {
  for await (const rows of rowsOf(database, column, options.batch)) {
    const done = await reencryptRows(database, secretBox, column, rows);
    if (done === 0) continue;
    options.onBatch(done);
    await sleep(PAUSE_MS);
  }
}

/** How many texts of a column are sealed with another key than the present one. */
export async function countSealedWithOtherKeys(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
): Promise<number> {
  let count = 0;
  for await (const rows of rowsOf(database, column, COUNTED_AT_ONCE)) {
    count += rows.filter(({ key, sealed }) => !secretBox.isCurrent(sealed, column.context(key))).length;
  }
  return count;
}

/** @returns how many it has re-encrypted */
async function reencryptRows(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
  rows: readonly Row[],
): Promise<number> {
  const due = rows.filter(({ key, sealed, isIdle }) => isIdle && !secretBox.isCurrent(sealed, column.context(key)));
  if (due.length === 0) return 0;
  const renewed = due.map(({ key, sealed }) => {
    const context = column.context(key);
    return secretBox.seal(secretBox.open(sealed, context), context);
  });
  const keys = column.key.map((_, part) => due.map(({ key }) => key[part]));
  const { rowCount } = await database.query(updateOf(column), [due.map(({ sealed }) => sealed), renewed, ...keys]);
  return rowCount;
}

/** Rows with a sealed text, in the order of the primary key. */
async function* rowsOf(database: Database, column: SealedColumn, batch: number): AsyncGenerator<Row[]> {
  let after: string[] | undefined;
  do {
    const { rows } = await database.query<Row>(selectOf(column, after !== undefined), [batch, ...(after ?? [])]);
    if (rows.length > 0) yield rows;
    after = rows.length < batch ? undefined : rows.at(-1)?.key;
  } while (after !== undefined);
}

function selectOf({ table, column, key, idle }: SealedColumn, isContinued: boolean): string {
  const names = key.map(([name]) => name).join(', ');
  const values = key.map(([, type], part) => `$${part + 2}::${type}`).join(', ');
  return `select array[${key.map(([name]) => `${name}::text`).join(', ')}] as key, ${column} as sealed,
      coalesce((${idle}), false) as "isIdle"
    from ${table} where ${column} is not null${isContinued ? ` and (${names}) > (${values})` : ''}
    order by ${names} limit $1`;
}

function updateOf({ table, column, key, idle }: SealedColumn): string {
  const names = key.map(([name]) => name).join(', ');
  const arrays = key.map(([, type], part) => `$${part + 3}::${type}[]`).join(', ');
  const same = (one: string, other: string): string =>
    key.map(([name]) => `${one}.${name} = ${other}.${name}`).join(' and ');
  return `with wanted as (select * from unnest($1::bytea[], $2::bytea[], ${arrays}) as w(old_text, new_text, ${names})),
    free as (
      select ${key.map(([name]) => `r.${name}`).join(', ')}, w.new_text from ${table} r join wanted w on ${same('r', 'w')}
      where r.${column} = w.old_text and (${idle}) for update of r skip locked
    )
    update ${table} r set ${column} = free.new_text from free where ${same('r', 'free')}`;
}
