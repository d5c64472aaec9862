import type { Queryable } from './database.ts';

/** One fact of a member: SQL that answers it as JSON (`$1::uuid` is the member's id) and the reader of that JSON. */
export type SnapshotPart<T> = { sql: string; read: (json: never) => T };

type SnapshotParts = Readonly<Record<string, SnapshotPart<unknown>>>;
type Snapshot<F extends SnapshotParts> = { [Name in keyof F]: F[Name] extends SnapshotPart<infer T> ? T : never };

/** `Json` is the type that the SQL answers. Amounts travel as text: a JSON number would lose digits. */
export const snapshotPart = <Json, T>(sql: string, read: (json: Json) => T): SnapshotPart<T> => ({ sql, read });

/**
 * Reads several facts of a member in one statement: one round trip, one database snapshot.
 * @param name of the prepared statement; must be unique
 */
export function snapshotReader<const F extends SnapshotParts>(
  name: string,
  parts: F,
): (on: Queryable, memberId: string) => Promise<Snapshot<F>> {
  const text = `select ${Object.entries(parts)
    .map(([key, { sql }]) => `(${sql}) as "${key}"`)
    .join(', ')}`;
  return async (on, memberId) => {
    const { rows } = await on.query<Record<string, never>>(text, [memberId], { name });
    const snapshot = Object.entries(parts).map(([key, { read }]) => [key, read(rows[0]?.[key] as never)]);
    return Object.fromEntries(snapshot) as Snapshot<F>;
  };
}
