import { PAGE_SIZE } from '@krapao/contract/constants';
import type { Catalogue } from '@krapao/phrases/catalogue';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { apiQuery, invalidate } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';

export type Notice = Reply<'POST /api/notices'>['notices'][number];

/** Key of a notice's texts, which its push message has too. */
export function messageKey({ kind, facts: { subject } }: Notice): MessageKey {
  if (kind === 'refused') return subject === 'slip' ? 'slipRefused' : 'refused';
  if (kind === 'security') return securityKeys[subject ?? ''] ?? 'securityChanged';
  return otherKeys[kind] ?? 'other';
}

type MessageKey = keyof Catalogue['push']['message'];

// A newer server may send a kind or subject that an open older page doesn't have.
const otherKeys: Readonly<Record<string, MessageKey>> = {
  support: 'support',
  'money-in': 'moneyIn',
  'paid-out': 'paidOut',
};
const securityKeys: Readonly<Record<string, MessageKey>> = {
  password: 'passwordChanged',
  bankAccount: 'bankAccountChanged',
  phone: 'phoneChanged',
  accountClosed: 'accountClosed',
  accountOpened: 'accountOpened',
  walletClosed: 'walletClosed',
  walletOpened: 'walletOpened',
};

/** Notices of support have no event on the socket. */
const POLL_MS = 60_000;
/** Delays after a money event, in ms: its notice is stored within about a second. */
const AFTER_EVENT_MS = [300, 1_300, 3_000];

const refetch = (): void => void invalidate('notices');

/**
 * The newest notices and the number of unread ones. Refreshed after money events and push messages, on return to the
 * page, and every minute.
 */
export function useNotices() {
  useEffect(() => {
    let timers: ReturnType<typeof setTimeout>[] = [];
    const stopTimers = (): void => timers.forEach(clearTimeout);
    const unsubscribe = onMemberEvent(({ state }) => {
      if (state === 'PROCESSING') return;
      stopTimers();
      timers = AFTER_EVENT_MS.map((delayMs) => setTimeout(refetch, delayMs));
    });
    const onWorkerMessage = ({ data }: MessageEvent<{ type?: unknown } | null>): void => {
      if (data?.type === 'push') void invalidate('notices', 'pending', 'statement');
    };
    navigator.serviceWorker?.addEventListener('message', onWorkerMessage);
    return () => {
      stopTimers();
      unsubscribe();
      navigator.serviceWorker?.removeEventListener('message', onWorkerMessage);
    };
  }, []);
  return useQuery({
    // The first page of the sheet's list, so that both share one request.
    ...apiQuery('POST /api/notices', { body: { page: 1, limit: PAGE_SIZE }, quiet: true }),
    refetchInterval: POLL_MS,
  });
}
