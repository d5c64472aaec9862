/** One set-based statement that fills a table, run in slices of `from` to `to`. */
export type Part = {
  name: string;
  /** Rows for so many members. */
  rows: (members: number) => number;
  /**
   * Inserts the rows `$1` to `$2`, counted from 1. `:members` stands for the number of members, `:start` for the moment at which the
   * history begins.
   */
  sql: string;
};

export const perMember =
  (each: number) =>
  (members: number): number =>
    Math.max(1, Math.floor(members * each));

/** Open conditions: one member in a hundred has one, 10,000 of a million. */
export const OPEN_CONDITIONS = perMember(1 / 100);

/** Length of the history, in days. */
export const HISTORY_DAYS = 90;

/** SQL of the member of row `n`, when rows go round all members. */
export const MEMBER_OF_ROW = `bench.id('member', (n - 1) % :members + 1)`;

/** SQL of the moment of row `n` of so many: spread evenly over the history. */
export const momentOf = (rows: string): string =>
  `:start + (n / (${rows})::float8) * interval '${HISTORY_DAYS - 1} days'`;
