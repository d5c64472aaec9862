import type { Database } from '../database/database.ts';
import { sleep } from '../time.ts';
import type { SecretBox } from './secret-box.ts';

/** A column of sealed texts. The names go into SQL unescaped, so they must be constants of this program. */
export type SealedColumn = {
  table: string;
  column: string;
  /** Name and type of each column of the primary key. */
  key: readonly (readonly [name: string, type: string])[];
  /** Encryption context of a row, by its primary key. */
  context(key: readonly string[]): string;
  /** SQL condition: no command in progress may overwrite the row with an earlier copy. */
  idle: string;
};

type SealedRow = { key: string[]; sealed: Buffer; isIdle: boolean };

/** Lets statements of the app reach the rows between two batches. */
const BATCH_PAUSE_MS = 10;
const COUNT_BATCH_ROWS = 1_000;

/**
 * Re-encrypts rows that another key has sealed, in batches that commit separately, while servers run. Skips rows that
 * have changed since they were read, are locked or are not idle; the next run retries them.
 */
export async function reencryptColumn(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
  options: { batch: number; onBatch: (done: number) => void },
): Promise<void> {
  for await (const rows of readBatches(database, column, options.batch)) {
    const rowCount = await reencryptRows(database, secretBox, column, rows);
    if (rowCount === 0) continue;
    options.onBatch(rowCount);
    await sleep(BATCH_PAUSE_MS);
  }
}

/** Number of texts of a column that are not sealed with the current key. */
export async function countSealedWithOtherKeys(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
): Promise<number> {
  let count = 0;
  for await (const rows of readBatches(database, column, COUNT_BATCH_ROWS)) {
    count += rows.filter(({ key, sealed }) => !secretBox.isCurrent(sealed, column.context(key))).length;
  }
  return count;
}

/** @returns number of rows re-encrypted */
async function reencryptRows(
  database: Database,
  secretBox: SecretBox,
  column: SealedColumn,
  rows: readonly SealedRow[],
): Promise<number> {
  const outdatedRows = rows.filter(
    ({ key, sealed, isIdle }) => isIdle && !secretBox.isCurrent(sealed, column.context(key)),
  );
  if (outdatedRows.length === 0) return 0;
  const resealed = outdatedRows.map(({ key, sealed }) => {
    const context = column.context(key);
    return secretBox.seal(secretBox.open(sealed, context), context);
  });
  const keyColumns = column.key.map((_, position) => outdatedRows.map(({ key }) => key[position]));
  const { rowCount } = await database.query(updateSql(column), [
    outdatedRows.map(({ sealed }) => sealed),
    resealed,
    ...keyColumns,
  ]);
  return rowCount;
}

/** Batches of rows with a sealed text, ordered by primary key. */
async function* readBatches(database: Database, column: SealedColumn, batch: number): AsyncGenerator<SealedRow[]> {
  let lastKey: string[] | undefined;
  do {
    const { rows } = await database.query<SealedRow>(selectSql(column, lastKey !== undefined), [
      batch,
      ...(lastKey ?? []),
    ]);
    if (rows.length > 0) yield rows;
    lastKey = rows.length < batch ? undefined : rows.at(-1)?.key;
  } while (lastKey !== undefined);
}

function selectSql({ table, column, key, idle }: SealedColumn, isContinued: boolean): string {
  const columnNames = key.map(([name]) => name).join(', ');
  const keyParameters = key.map(([, type], position) => `$${position + 2}::${type}`).join(', ');
  return `select array[${key.map(([name]) => `${name}::text`).join(', ')}] as key, ${column} as sealed,
      coalesce((${idle}), false) as "isIdle"
    from ${table} where ${column} is not null${isContinued ? ` and (${columnNames}) > (${keyParameters})` : ''}
    order by ${columnNames} limit $1`;
}

function updateSql({ table, column, key, idle }: SealedColumn): string {
  const columnNames = key.map(([name]) => name).join(', ');
  const keyArrays = key.map(([, type], position) => `$${position + 3}::${type}[]`).join(', ');
  const joinCondition = (leftTable: string, rightTable: string): string =>
    key.map(([name]) => `${leftTable}.${name} = ${rightTable}.${name}`).join(' and ');
  return `with wanted as (select * from unnest($1::bytea[], $2::bytea[], ${keyArrays}) as w(old_text, new_text, ${columnNames})),
    free as (
      select ${key.map(([name]) => `r.${name}`).join(', ')}, w.new_text from ${table} r join wanted w on ${joinCondition('r', 'w')}
      where r.${column} = w.old_text and (${idle}) for update of r skip locked
    )
    update ${table} r set ${column} = free.new_text from free where ${joinCondition('r', 'free')}`;
}
