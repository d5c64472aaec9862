import { STORAGE } from '@krapao/contract/constants';
import { useQuery, queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call, serverNow } from '../api/call.ts';
import { logFailure } from '../api/errors.ts';
import { subscribeMember } from '../api/query/member-events.ts';
import { apiQuery, invalidate, queryClient } from '../api/query/query.ts';
import type { Reply } from '../api/types.ts';
import { readStored, writeStored } from '../browser/storage.ts';
import { fromWire } from './amounts.ts';

/** Wallet snapshot of a member. */
export type Wallet = Reply<'GET /api/wallet'>;
export type GameAccount = Wallet['slots'][number];

/** Account code of the wallet; other accounts are games. */
export const WALLET = 'WALLET';

/**
 * Polling interval during a transfer. The transfer's event arrives just before the game account is unlocked, and no
 * event reports the unlocking.
 */
const TRANSFER_POLL_MS = 3_000;

/** Retry interval in ms after the first load has failed. */
const FIRST_LOAD_RETRY_MS = 15_000;

/**
 * The member's wallet, updated by events and by polling during a transfer. A failed load is only logged: the previous
 * data stays until the next event, page visit or press of "check balance". A failed first load is retried
 * automatically.
 */
export function useWallet() {
  const query = useQuery({
    ...apiQuery('GET /api/wallet', { quiet: true }),
    refetchInterval: ({ state: { data, status } }) => {
      if (!data) return status === 'error' && FIRST_LOAD_RETRY_MS;
      return data.slots.some((game) => game.inProgress) && TRANSFER_POLL_MS;
    },
  });
  const { data, error } = query;
  useEffect(() => {
    if (data) subscribeMember(data.profile._id, data.eventSequence);
  }, [data]);
  useEffect(() => {
    if (error) logFailure('wallet not loaded', error);
  }, [error]);
  return query;
}

/** Credits of a game account: amount × `ftWalletSlot`. */
export function creditAmount({
  amount,
  ftWalletSlot,
}: Pick<GameAccount, 'amount' | 'ftWalletSlot'>): bigint | undefined {
  const minorUnits = fromWire(amount);
  return minorUnits === undefined || !Number.isSafeInteger(ftWalletSlot)
    ? undefined
    : minorUnits * BigInt(ftWalletSlot);
}

export const activeGames = (wallet: Wallet | undefined): GameAccount[] =>
  wallet?.slots.filter((game) => game.isActive && !game.inMaintenance) ?? [];

/** Start time of the last balance refresh, in ms of `performance.now()`. */
let refreshStartedAtMs = -Infinity;

/**
 * Query that checks all game balances, stores the time, then reloads the wallet. As a query, concurrent callers share
 * one request and its fetching state. Its data is the ISO time of the last successful refresh. A failed refresh keeps the
 * previous time and still reloads the wallet.
 */
export const balancesRefresh = queryOptions<string | null>({
  queryKey: ['balances-refresh'],
  queryFn: async () => {
    refreshStartedAtMs = performance.now();
    try {
      await call('GET /api/wallet/refresh/slot', { quiet: true });
      const checkedAt = new Date(serverNow()).toISOString();
      writeStored(STORAGE.lastSync, checkedAt);
      return checkedAt;
    } finally {
      void invalidate('wallet');
    }
  },
  initialData: () => readStored(STORAGE.lastSync),
  staleTime: 0,
  refetchOnMount: 'always',
  refetchOnWindowFocus: false,
  refetchOnReconnect: false,
  retry: false,
});

/** Refreshes all balances immediately. Never rejects: a failure is only logged. */
export const refreshBalances = (): Promise<void> =>
  queryClient.query(balancesRefresh).then(
    () => undefined,
    (failure: unknown) => logFailure('balances not refreshed', failure),
  );

/**
 * Like {@link refreshBalances}, but starts a second refresh if the running one began before `sinceMs`.
 * @param sinceMs in ms of `performance.now()`
 */
export async function refreshBalancesSince(sinceMs: number): Promise<void> {
  await refreshBalances();
  if (refreshStartedAtMs < sinceMs) await refreshBalances();
}

/** Balances that are this old, in ms, are refreshed before a member decides about them. */
const DECISION_AGE_MS = 5_000;

/** Refreshes the balances when a dialog shows what a game holds, unless that happened just before. */
export function useFreshBalances(isEnabled: boolean): void {
  useEffect(() => {
    if (isEnabled && performance.now() - refreshStartedAtMs > DECISION_AGE_MS) void refreshBalances();
  }, [isEnabled]);
}
