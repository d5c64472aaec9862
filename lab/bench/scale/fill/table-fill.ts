/** A set-based insert into one table, run in slices of rows. */
export type TableFill = {
  name: string;
  rows: (members: number) => number;
  /**
   * Inserts rows `$1` to `$2`, counted from 1. `:members` is replaced by the number of members, `:start` by the start of the history.
   */
  sql: string;
};

export const perMember =
  (rate: number) =>
  (members: number): number =>
    Math.max(1, Math.floor(members * rate));

/** Open conditions: one per hundred members. */
export const OPEN_CONDITIONS = perMember(1 / 100);

/** Length of the history, in days. */
export const HISTORY_DAYS = 90;

/** SQL expression for the member of row `n`, cycling through all members. */
export const MEMBER_OF_ROW = `bench.id('member', (n - 1) % :members + 1)`;

/** SQL expression for the time of row `n`, spread evenly over the history. @param rows SQL of the number of rows */
export const timeOf = (rows: string): string =>
  `:start + (n / (${rows})::float8) * interval '${HISTORY_DAYS - 1} days'`;
