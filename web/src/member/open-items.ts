import { STORAGE } from '@krapao/contract/constants';
import { apiQuery, queryClient } from '../api/query/query.ts';
import { onSessionEnd, sessionMark } from '../api/session.ts';
import { call } from '../api/call.ts';
import type { Reply } from '../api/types.ts';
import { isModalOpen } from '../ui/core/overlay-stack.ts';
import { isKeyboardUp } from './keyboard.ts';

export type OpenItems = Reply<'GET /api/pending'>['items'];

/** Open items, as last listed. A tab keeps them over a reload, so that ends in between are announced. */
export const openItemsQuery = apiQuery('GET /api/pending', { quiet: true });

/** Keys of all items that were open on this page, or when it was reloaded: the strip announces their ends. */
const listedKeys = new Set<string>();
onSessionEnd(() => listedKeys.clear());

export const wasListed = (key: string): boolean => listedKeys.has(key);

export function storeOpenItems(items: OpenItems): void {
  for (const { key } of items) listedKeys.add(key);
  try {
    sessionStorage.setItem(STORAGE.openItems, JSON.stringify({ session: sessionMark(), items }));
  } catch {
    // Without storage, ends during a reload are only in the lists.
  }
}

function storedItems(): OpenItems {
  try {
    const { session, items } = JSON.parse(sessionStorage.getItem(STORAGE.openItems) ?? '') as {
      session: unknown;
      items: unknown;
    };
    if (session !== sessionMark() || !Array.isArray(items)) return [];
    for (const { key } of items as OpenItems) listedKeys.add(key);
    return items as OpenItems;
  } catch {
    return [];
  }
}

/** The open items of the last list: of this page, else of the page before the reload. */
export const lastOpenItems = (): OpenItems => queryClient.getQueryData(openItemsQuery.queryKey)?.items ?? storedItems();

/** Whether a dialog or the on-screen keyboard hides the strip of open items; then toasts announce ends. */
export const isStripHidden = (): boolean => isModalOpen() || isKeyboardUp();

/**
 * Whether the strip announces this credit, as the end of an open deposit. Call it with the event, before the list of
 * open items is received again.
 */
export async function isCreditInStrip(reference: string, amount: number): Promise<boolean> {
  if (isStripHidden()) return false;
  const deposits = lastOpenItems().filter(({ kind }) => kind !== 'withdraw' && kind !== 'transfer');
  if (deposits.some(({ key }) => key === reference)) return true;
  // A bank transfer has the reference of the bank.
  const items = await Promise.all(
    deposits.map(({ key }) => call('GET /api/money/{key}', { params: { key }, quiet: true }).catch(() => undefined)),
  );
  return items.some((item) => item?.status === 'SUCCESS' && item.amount === amount);
}
