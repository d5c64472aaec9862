import { coalesce } from '../jobs/concurrency.ts';
import type { Database, Queryable, Tx } from './database.ts';
import { hideFromPlanner } from './statements.ts';

/** One fact of a member: SQL that answers it as JSON (`asked.member_id` is the member's id) and the reader of that JSON. */
export type SnapshotField<T> = { sql: string; read: (json: never) => T };

type SnapshotParts = Readonly<Record<string, SnapshotField<unknown>>>;
type Snapshot<F extends SnapshotParts> = { [Name in keyof F]: F[Name] extends SnapshotField<infer T> ? T : never };
type Facts = Record<string, never>;

/** `Json` is the type that the SQL answers. Amounts travel as text: a JSON number would lose digits. */
export const snapshotField = <Json, T>(sql: string, read: (json: Json) => T): SnapshotField<T> => ({ sql, read });

/**
 * Reads several facts of a member in one statement: one round trip, one database snapshot. Members who are asked for at
 * the same time share the statement.
 * @param name of the prepared statement; must be unique
 */
export function snapshotReader<const F extends SnapshotParts>(
  name: string,
  parts: F,
): (on: Queryable, memberId: string) => Promise<Snapshot<F>> {
  const facts = Object.entries(parts).map(([key, { sql }]) => `(${sql}) as "${key}"`);
  const text = `select asked.place, ${facts.join(', ')}
    from unnest(${hideFromPlanner('$1::uuid[]')}) with ordinality as asked (member_id, place)`;
  const readAll = async (on: Queryable, memberIds: readonly string[]): Promise<Map<string, Facts>> => {
    const { rows } = await on.query<Facts & { place: bigint }>(text, [memberIds], { name });
    return new Map(rows.map((row) => [memberIds[Number(row.place) - 1] ?? '', row]));
  };
  const readerOf = memoizePerConnection((database) =>
    coalesce<string, Facts>(
      (memberIds) => readAll(database, memberIds),
      (memberId) => memberId,
    ),
  );
  return async (on, memberId) => {
    const row = 'transaction' in on ? (await readAll(on, [memberId])).get(memberId) : await readerOf(on)(memberId);
    const snapshot = Object.entries(parts).map(([key, { read }]) => [key, read(row?.[key] as never)]);
    return Object.fromEntries(snapshot) as Snapshot<F>;
  };
}

/** Runs several reads in one database snapshot. */
export const inSnapshot = <T>(database: Pick<Database, 'tx'>, read: (tx: Tx) => Promise<T>): Promise<T> =>
  database.tx(async (tx) => {
    await tx.query('set transaction isolation level repeatable read, read only');
    return read(tx);
  });

/** One of what a member asks about. */
export type MemberReference = { memberId: string; reference: string };

/** Caches one value per connection or database for its lifetime. */
export function memoizePerConnection<T>(create: (on: Queryable) => T): (on: Queryable) => T {
  const made = new WeakMap<Queryable, { of: T }>();
  return (on) => {
    const known = made.get(on) ?? { of: create(on) };
    made.set(on, known);
    return known.of;
  };
}

/**
 * Reads rows of members by their references; concurrent callers share a statement. Each gets only its own rows: another
 * member may have the same reference.
 * @param select at most one row per request; `place` is the request's position in `asked`, from 1
 */
export function batchedReader<Row extends { place: bigint }>(
  select: (on: Queryable, asked: readonly MemberReference[]) => Promise<readonly Row[]>,
): (on: Queryable, memberId: string, references: readonly string[]) => Promise<Row[]> {
  const readerOf = memoizePerConnection((on) =>
    coalesce<readonly MemberReference[], Row[]>(
      async (requests) => {
        const rows = new Map((await select(on, requests.flat())).map((row) => [Number(row.place), row]));
        let place = 0;
        return new Map(requests.map((asked) => [keyOf(asked), asked.flatMap(() => rows.get((place += 1)) ?? [])]));
      },
      keyOf,
      AT_ONCE,
    ),
  );
  return async (on, memberId, references) => {
    const asked = references.map((reference) => ({ memberId, reference }));
    return (await readerOf(on)(asked)) ?? [];
  };
}

/** Callers who share a statement: each may ask about a page of references. */
const AT_ONCE = 32;
const keyOf = (asked: readonly MemberReference[]): string =>
  [asked[0]?.memberId, ...asked.map((one) => one.reference)].join(' ');
