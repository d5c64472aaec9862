import { STORAGE } from '@krapao/contract/constants';
import type { MemberEvent } from '@krapao/contract/events';
import { call } from '../api/call.ts';
import { apiQuery, queryClient } from '../api/query/query.ts';
import { onSessionEnd, sessionMark } from '../api/session.ts';
import type { Reply } from '../api/types.ts';
import { isModalOpen } from '../ui/core/overlay-stack.ts';
import { isKeyboardUp } from './keyboard.ts';

export type OpenItems = Reply<'GET /api/pending'>['items'];

/** Open items, as last listed. A tab keeps them over a reload, so that ends in between are announced. */
export const openItemsQuery = apiQuery('GET /api/pending', { quiet: true });

/** Kinds by key of all items that were open on this page, or when it was reloaded. */
const listed = new Map<string, OpenItems[number]['kind']>();
/** Keys of items whose end a toast or a dialog has announced. */
const announced = new Set<string>();
onSessionEnd(() => {
  listed.clear();
  announced.clear();
});

export const wasListed = (key: string): boolean => listed.has(key);
export const wasAnnounced = (key: string): boolean => announced.has(key);
export const markAnnounced = (key: string): void => void announced.add(key);

export function storeOpenItems(items: OpenItems): void {
  for (const { key, kind } of items) listed.set(key, kind);
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
    for (const { key, kind } of items as OpenItems) listed.set(key, kind);
    return items as OpenItems;
  } catch {
    return [];
  }
}

/** The open items of the last list: of this page, else of the page before the reload. */
export const lastOpenItems = (): OpenItems => queryClient.getQueryData(openItemsQuery.queryKey)?.items ?? storedItems();

/** Whether a dialog or the on-screen keyboard hides the strip of open items. */
const isStripHidden = (): boolean => isModalOpen() || isKeyboardUp();

/** Key of the listed item whose end an event reports; undefined if the strip has not listed it. */
async function endedKey({ kind, reference, amount }: MemberEvent): Promise<string | undefined> {
  if (listed.has(reference)) return reference;
  if (kind !== 'deposit') return undefined;
  // A bank transfer has the reference of the bank.
  const candidates = [...listed].filter(([key, item]) => TRANSFERRED.has(item) && !announced.has(key));
  const items = await Promise.all(
    candidates.map(([key]) => call('GET /api/money/{key}', { params: { key }, quiet: true }).catch(() => undefined)),
  );
  return items.find((item) => item?.status === 'SUCCESS' && item.amount === amount)?.key;
}

const TRANSFERRED: ReadonlySet<OpenItems[number]['kind']> = new Set(['notice', 'slip']);

/**
 * Whether a toast announces the end that an event reports. The strip announces what it has listed, unless it is hidden
 * now: it shows a failure until it is dismissed, so that can wait.
 */
export async function isForToast(event: MemberEvent): Promise<boolean> {
  const wasHidden = isStripHidden();
  // Also remembers what was listed before a reload.
  lastOpenItems();
  const key = await endedKey(event);
  if (key !== undefined && (!wasHidden || event.state !== 'SUCCESS' || announced.has(key))) return false;
  announced.add(key ?? event.reference);
  return true;
}
