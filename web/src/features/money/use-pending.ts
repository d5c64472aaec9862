import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { call } from '../../api/call.ts';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { followOtherTabs } from '../../api/query/other-tabs.ts';
import { invalidate } from '../../api/query/query.ts';
import { isOnline, onConnectionChange } from '../../browser/connection.ts';
import { isOutcomeShown } from '../../member/shown-outcomes.ts';
import { lastOpenItems, markAnnounced, openItemsQuery, storeOpenItems, wasAnnounced } from '../../shared/open-items.ts';
import { useTopModal } from '../../ui/core/overlay-stack.ts';
import { type Ended, leavingItems, type TimelineItem, type PendingItem, type Seen, shownEnd } from './strip-ends.ts';

export type { Ended, TimelineItem, PendingItem } from './strip-ends.ts';

const EVERY_MS = 60_000;
const AGAIN_MS = 15_000;
/** A list that could not be refreshed for this long is shown as old. */
const OLD_MS = 120_000;

const NO_ITEMS: readonly PendingItem[] = [];

export type Pending = {
  items: readonly PendingItem[];
  /** Whether a list has been received. */
  isLoaded: boolean;
  total: number;
  /** Server time of the last list, when it can't be refreshed; undefined while it is current. */
  lastKnown: string | undefined;
};

/** Open items: refreshed by events, on return to the page, after each dialog, and each minute while there are any. */
export function usePending(): Pending {
  const query = useQuery({
    ...openItemsQuery,
    staleTime: 0,
    refetchInterval: ({ state }) => (state.data ? state.data.items.length > 0 && EVERY_MS : AGAIN_MS),
  });
  const { data, isError, dataUpdatedAt } = query;
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  useEffect(() => onMemberEvent(() => void invalidate('pending', 'money')), []);
  useEffect(followOtherTabs, []);
  useEffect(() => {
    if (data) storeOpenItems(data.items);
  }, [data]);
  const isModalOpen = useTopModal() !== undefined;
  const hadModal = useRef(isModalOpen);
  useEffect(() => {
    // Dialogs create and cancel items without an event.
    if (hadModal.current && !isModalOpen) void invalidate('pending');
    hadModal.current = isModalOpen;
  }, [isModalOpen]);
  const isOld = useIsOld(isError ? dataUpdatedAt : undefined);
  return {
    items: data?.items ?? NO_ITEMS,
    isLoaded: data !== undefined,
    total: data ? data.items.length + data.more : 0,
    lastKnown: data && (!online || isOld) ? data.at : undefined,
  };
}

/** Whether the time of the last success is long ago. @param since undefined after a success */
function useIsOld(since: number | undefined): boolean {
  const [isOld, setOld] = useState(false);
  useEffect(() => {
    if (since === undefined) return undefined;
    const timer = setTimeout(() => setOld(true), Math.max(0, since + OLD_MS - Date.now()));
    return () => {
      clearTimeout(timer);
      setOld(false);
    };
  }, [since]);
  return isOld;
}

/** How long a good end is shown, in ms. A bad one stays until it is dismissed. */
const GOOD_MS = 6_000;
/** Ends that are no news: the member cancelled, or did not pay in time. */
const QUIET_REASONS = new Set(['CANCELLED', 'EXPIRED']);

/** The kind of event that reports the end of an item. */
export const outcomeKind = (kind: TimelineItem['kind']): 'deposit' | 'withdraw' | 'transfer' =>
  kind === 'withdraw' || kind === 'transfer' ? kind : 'deposit';

/**
 * The end to show of the items that left the list, unless a dialog or a toast announces it.
 * @param isHidden whether something covers the strip; a good end is then shown later
 * @returns `leaving`: items that left the list and whose end is being looked up
 */
export function useEnded({ items, total, isLoaded }: Pending, isHidden: boolean) {
  const [ended, setEnded] = useState<Ended>();
  // What was open before a reload may have ended before the first list.
  const [seen, setSeen] = useState<Seen>(() => ({ items: lastOpenItems(), leaving: NO_ITEMS }));
  if (isLoaded && seen.items !== items) {
    // Beyond the limit of the list, an item may leave it without having ended.
    const leaving = leavingItems(seen, items, total === items.length);
    setSeen({ items, leaving });
  }
  const { leaving } = seen;
  useEffect(() => {
    if (leaving.length === 0) return undefined;
    let isCurrent = true;
    // The bell and the lists change with the strip: not every end has an event.
    void invalidate('notices', 'statement');
    const lookUpEnds = async (): Promise<void> => {
      const found = await Promise.all(leaving.map(findEnd));
      if (!isCurrent) return;
      const ends = found.filter((end) => end !== undefined).filter(({ key }) => !wasAnnounced(key));
      for (const { key } of ends) markAnnounced(key);
      setSeen((before) => ({ ...before, leaving: NO_ITEMS }));
      setEnded((before) => shownEnd(before, ends));
    };
    void lookUpEnds();
    return () => {
      isCurrent = false;
    };
  }, [leaving]);
  useEffect(() => {
    if (ended?.tone !== 'good' || isHidden) return undefined;
    const timer = setTimeout(() => setEnded(undefined), GOOD_MS);
    return () => clearTimeout(timer);
  }, [ended, isHidden]);
  return { ended, leaving, dismiss: () => setEnded(undefined) };
}

/** How an item has ended; undefined if a dialog shows it, or if it is no news. */
async function findEnd({ key, kind }: Pick<PendingItem, 'key' | 'kind'>): Promise<Ended | undefined> {
  if (isOutcomeShown(outcomeKind(kind))) return undefined;
  const item = await call('GET /api/money/{key}', { params: { key }, quiet: true }).catch(() => undefined);
  if (!item || item.status === 'PROCESSING' || QUIET_REASONS.has(item.reason ?? '')) return undefined;
  return { key, tone: item.status === 'SUCCESS' ? 'good' : 'bad', item };
}
