/** A page of a member's rows, newest first. `before`: cursor of an earlier reply; `page` counts from there. */
export type PageRequest<Cursor = string> = { page: number; limit: number; before?: Cursor | undefined };

/** Cursor after the last row of a page, if more rows follow. @param total number of rows that `page` counts */
export const nextCursor = <Cursor>(
  { page, limit }: PageRequest<Cursor>,
  { total, last }: { total: number; last: Cursor | undefined },
): Cursor | undefined => (page * limit < total ? last : undefined);

const microseconds = (time: string): string => `(extract(epoch from ${time}) * 1000000)::bigint`;

/** Columns that sort rows: a time, and a key of rows of the same time. */
type SortColumns = { time: string; key: string; keyType: 'uuid' | 'timestamptz' };

/** SQL of a row's cursor: microseconds since 1970, `_`, and its key. */
export const cursorSql = ({ time, key, keyType }: SortColumns): string =>
  `${microseconds(time)} || '_' || ${keyType === 'uuid' ? key : microseconds(key)}`;

/** SQL condition of rows after a cursor, newest first. Without a cursor, all rows. */
export function afterCursorSql({ time, key, keyType }: SortColumns, parameter: string): string {
  const part = (index: number): string => `split_part(${parameter}, '_', ${index})`;
  const timeOf = (text: string): string => `timestamptz 'epoch' + ${text}::bigint * interval '1 microsecond'`;
  const cursorKey = keyType === 'uuid' ? `${part(2)}::uuid` : timeOf(part(2));
  return `(${parameter}::text is null or (${time}, ${key}) < (${timeOf(part(1))}, ${cursorKey}))`;
}
