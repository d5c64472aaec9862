import { coalesce } from '../jobs/concurrency.ts';
import type { Database, Queryable, Tx } from './database.ts';
import { hideFromPlanner } from './statements.ts';

/**
 * One field of a member's snapshot: SQL that selects JSON (`asked.member_id` is the member's id), and the reader of the
 * JSON.
 */
export type SnapshotField<T> = { sql: string; read: (json: never) => T };

type SnapshotFields = Readonly<Record<string, SnapshotField<unknown>>>;
type Snapshot<F extends SnapshotFields> = { [Name in keyof F]: F[Name] extends SnapshotField<infer T> ? T : never };
type SnapshotRow = Record<string, never>;

/** `Json` is the type of the selected JSON. Amounts travel as text, because a JSON number would lose digits. */
export const snapshotField = <Json, T>(sql: string, read: (json: Json) => T): SnapshotField<T> => ({ sql, read });

/**
 * Reads several fields of a member in one statement: one round trip, one database snapshot. Concurrent calls for
 * different members share a statement.
 * @param name of the prepared statement; must be unique
 */
export function snapshotReader<const F extends SnapshotFields>(
  name: string,
  fields: F,
): (on: Queryable, memberId: string) => Promise<Snapshot<F>> {
  const selections = Object.entries(fields).map(([key, { sql }]) => `(${sql}) as "${key}"`);
  const snapshotSql = `select asked.place, ${selections.join(', ')}
    from unnest(${hideFromPlanner('$1::uuid[]')}) with ordinality as asked (member_id, place)`;
  const readAll = async (on: Queryable, memberIds: readonly string[]): Promise<Map<string, SnapshotRow>> => {
    const { rows } = await on.query<SnapshotRow & { place: bigint }>(snapshotSql, [memberIds], { name });
    return new Map(rows.map((row) => [memberIds[Number(row.place) - 1] ?? '', row]));
  };
  const readerOf = memoizePerConnection((database) =>
    coalesce<string, SnapshotRow>(
      (memberIds) => readAll(database, memberIds),
      (memberId) => memberId,
    ),
  );
  return async (on, memberId) => {
    const snapshotRow =
      'transaction' in on ? (await readAll(on, [memberId])).get(memberId) : await readerOf(on)(memberId);
    const snapshot = Object.entries(fields).map(([key, { read }]) => [key, read(snapshotRow?.[key] as never)]);
    return Object.fromEntries(snapshot) as Snapshot<F>;
  };
}

/** Runs several reads in one database snapshot. */
export const inSnapshot = <T>(database: Pick<Database, 'tx'>, read: (tx: Tx) => Promise<T>): Promise<T> =>
  database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return read(tx);
  });

/** A reference of a member, for example of one deposit. */
export type MemberReference = { memberId: string; reference: string };

/** Caches one value per connection or database for its lifetime. */
export function memoizePerConnection<T>(create: (on: Queryable) => T): (on: Queryable) => T {
  const valuesByConnection = new WeakMap<Queryable, { of: T }>();
  return (on) => {
    const memoized = valuesByConnection.get(on) ?? { of: create(on) };
    valuesByConnection.set(on, memoized);
    return memoized.of;
  };
}

/**
 * Reads rows of members by their references. Concurrent callers share a statement. Each caller gets only rows of its
 * own member: another member may have the same reference.
 * @param select selects at most one row per reference; `place` is the position in `asked`, from 1
 */
export function batchedReader<Row extends { place: bigint }>(
  select: (on: Queryable, references: readonly MemberReference[]) => Promise<readonly Row[]>,
): (on: Queryable, memberId: string, references: readonly string[]) => Promise<Row[]> {
  const readerOf = memoizePerConnection((on) =>
    coalesce<readonly MemberReference[], Row[]>(
      async (requests) => {
        const rowsByPosition = new Map((await select(on, requests.flat())).map((row) => [Number(row.place), row]));
        let position = 0;
        return new Map(
          requests.map((memberReferences) => [
            keyOf(memberReferences),
            memberReferences.flatMap(() => rowsByPosition.get((position += 1)) ?? []),
          ]),
        );
      },
      keyOf,
      BATCH_SIZE,
    ),
  );
  return async (on, memberId, references) => {
    const memberReferences = references.map((reference) => ({ memberId, reference }));
    return (await readerOf(on)(memberReferences)) ?? [];
  };
}

/** Maximum callers per statement; each may request a page of references. */
const BATCH_SIZE = 32;
const keyOf = (memberReferences: readonly MemberReference[]): string =>
  [memberReferences[0]?.memberId, ...memberReferences.map((memberReference) => memberReference.reference)].join(' ');
