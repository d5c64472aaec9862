import { coalesce } from '../jobs/coalesce.ts';
import type { Queryable } from './database.ts';

/** One of what a member asks about. */
export type Named = { memberId: string; reference: string };

/** Keeps what is made for each place that is read from, as long as the place exists. */
export function perQueryable<T>(create: (on: Queryable) => T): (on: Queryable) => T {
  const made = new WeakMap<Queryable, { of: T }>();
  return (on) => {
    const known = made.get(on) ?? { of: create(on) };
    made.set(on, known);
    return known.of;
  };
}

/**
 * Reads rows of members by their references; those who ask at the same time share a statement. Each gets the rows of what
 * they asked for alone: another member may have the same reference.
 * @param select at most one row for each that is asked for; `place` is where that stands in `asked`, from 1
 */
export function referenceReader<Row extends { place: bigint }>(
  select: (on: Queryable, asked: readonly Named[]) => Promise<readonly Row[]>,
): (on: Queryable, memberId: string, references: readonly string[]) => Promise<Row[]> {
  const readerOf = perQueryable((on) =>
    coalesce<readonly Named[], Row[]>(
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
const keyOf = (asked: readonly Named[]): string => [asked[0]?.memberId, ...asked.map((one) => one.reference)].join(' ');
