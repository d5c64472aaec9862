import type { Queryable } from './database.ts';

/** One thing to know of a member: SQL that makes JSON of it, `$1::text` being their id, and what its value tells. */
export type Facet<T> = { sql: string; read: (json: never) => T };

type Facets = Readonly<Record<string, Facet<unknown>>>;
type Told<F extends Facets> = { [Name in keyof F]: F[Name] extends Facet<infer T> ? T : never };

/** `Json` is what the SQL makes. Amounts go as text: a JSON number is none that money is kept in. */
export const facet = <Json, T>(sql: string, read: (json: Json) => T): Facet<T> => ({ sql, read });

/**
 * Several things of a member in one statement: one round trip, and all of the same moment.
 * @param name of the prepared statement; no other has it
 */
export function facetReader<const F extends Facets>(
  name: string,
  facets: F,
): (on: Queryable, memberId: string) => Promise<Told<F>> {
  const text = `select ${Object.entries(facets)
    .map(([key, { sql }]) => `(${sql}) as "${key}"`)
    .join(', ')}`;
  return async (on, memberId) => {
    const { rows } = await on.query<Record<string, never>>(text, [memberId], { name });
    const told = Object.entries(facets).map(([key, { read }]) => [key, read(rows[0]?.[key] as never)]);
    return Object.fromEntries(told) as Told<F>;
  };
}
