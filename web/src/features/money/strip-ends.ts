import type { Reply } from '../../api/types.ts';

export type PendingItem = Reply<'GET /api/pending'>['items'][number];
export type TimelineItem = Reply<'GET /api/money/{key}'>;
export type Ended = { key: string; tone: 'good' | 'bad'; item: TimelineItem };

/** The last list, and items that left it and whose end is being looked up. */
export type Seen = { items: readonly PendingItem[]; leaving: readonly PendingItem[] };

/** Items that left the list, with earlier ones whose end is still being looked up. */
export function leavingItems(seen: Seen, items: readonly PendingItem[], isComplete: boolean): readonly PendingItem[] {
  const openKeys = new Set(items.map(({ key }) => key));
  return [...seen.leaving, ...(isComplete ? seen.items : [])].filter(({ key }) => !openKeys.has(key));
}

/** The end to show: the last one, but a failure stays until it is dismissed or another one comes. */
export function shownEnd(before: Ended | undefined, ends: readonly (Ended | undefined)[]): Ended | undefined {
  const news = ends.filter((end) => end !== undefined);
  const failure = news.findLast(({ tone }) => tone === 'bad') ?? (before?.tone === 'bad' ? before : undefined);
  return failure ?? news.at(-1) ?? before;
}
