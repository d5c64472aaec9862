import { coalesce } from '../jobs/coalesce.ts';
import type { Queryable } from './database.ts';
import { opaque } from './opaque.ts';
import { perQueryable } from './shared-reads.ts';

/** One fact of a member: SQL that answers it as JSON (`asked.member_id` is the member's id) and the reader of that JSON. */
export type SnapshotPart<T> = { sql: string; read: (json: never) => T };

type SnapshotParts = Readonly<Record<string, SnapshotPart<unknown>>>;
type Snapshot<F extends SnapshotParts> = { [Name in keyof F]: F[Name] extends SnapshotPart<infer T> ? T : never };
type Facts = Record<string, never>;

/** `Json` is the type that the SQL answers. Amounts travel as text: a JSON number would lose digits. */
export const snapshotPart = <Json, T>(sql: string, read: (json: Json) => T): SnapshotPart<T> => ({ sql, read });

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
    from unnest(${opaque('$1::uuid[]')}) with ordinality as asked (member_id, place)`;
  const readAll = async (on: Queryable, memberIds: readonly string[]): Promise<Map<string, Facts>> => {
    const { rows } = await on.query<Facts & { place: bigint }>(text, [memberIds], { name });
    return new Map(rows.map((row) => [memberIds[Number(row.place) - 1] ?? '', row]));
  };
  const readerOf = perQueryable((database) =>
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
