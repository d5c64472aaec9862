import { useQuery, queryOptions } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Reply } from '../api/types.ts';
import { logFailure } from '../api/errors.ts';
import { subscribeMember } from '../api/query/member-events.ts';
import { apiQuery, invalidate, queryClient } from '../api/query/query.ts';
import { fromWire } from './amounts.ts';
import { STORAGE } from '@krapao/contract/constants';
import { readStored, writeStored } from '../shell/storage.ts';
import { call, serverNow } from '../api/call.ts';

/** The whole picture of a member. */
export type Wallet = Reply<'GET /api/wallet'>;
export type GameAccount = Wallet['slots'][number];

/** How the wallet is named where an account is asked for. */
export const WALLET = 'WALLET';

/** The event of a transfer comes when its money is there, a moment before its game account is free again: no event says so. */
const UNDER_WAY_AGAIN_MS = 3_000;

/** Between retries of a first load that failed, in ms. */
const FIRST_LOAD_AGAIN_MS = 15_000;

/**
 * The member's wallet, kept current by the member's events, and polled while a transfer is under way. A load that fails is
 * only logged: what was shown stays, and the next event, visit or press of "check balance" loads it again. A first load
 * that failed is also retried by itself.
 */
export function useWallet() {
  const query = useQuery({
    ...apiQuery('GET /api/wallet', { quiet: true }),
    refetchInterval: ({ state: { data, status } }) => {
      if (!data) return status === 'error' && FIRST_LOAD_AGAIN_MS;
      return data.slots.some((game) => game.inProgress) && UNDER_WAY_AGAIN_MS;
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

/** What the provider counts for a game account: its amount × ftWalletSlot. */
export function creditAmount({
  amount,
  ftWalletSlot,
}: Pick<GameAccount, 'amount' | 'ftWalletSlot'>): bigint | undefined {
  const units = fromWire(amount);
  return units === undefined || !Number.isSafeInteger(ftWalletSlot) ? undefined : units * BigInt(ftWalletSlot);
}

/** Game accounts that money can be moved to and from. */
export const activeGames = (wallet: Wallet | undefined): GameAccount[] =>
  wallet?.slots.filter((game) => game.isActive && !game.inMaintenance) ?? [];

/** When the last round began, in ms of `performance.now()`. */
let beganAt = -Infinity;

/**
 * Asks every provider for its balance, notes the time, then reloads the wallet. A query, so that all who ask at once
 * share one round, and `isFetching` is the same everywhere. Its data is the time of the last round that went through
 * (ISO), as it is stored. A round that fails leaves the time as it was; the wallet is reloaded all the same.
 */
export const balancesRefresh = queryOptions<string | null>({
  queryKey: ['balances-refresh'],
  queryFn: async () => {
    beganAt = performance.now();
    try {
      await call('GET /api/wallet/refresh/slot', { quiet: true });
      const now = new Date(serverNow()).toISOString();
      writeStored(STORAGE.lastSync, now);
      return now;
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

/** Runs a round now. Never throws: a failed one is only logged. */
export const refreshBalances = (): Promise<void> =>
  queryClient.query(balancesRefresh).then(
    () => undefined,
    (failure: unknown) => logFailure('balances not refreshed', failure),
  );

/**
 * As {@link refreshBalances}, but a round that is under way may have asked a provider too early: then another one follows.
 * @param moment in ms of `performance.now()`: what had happened by then is seen
 */
export async function refreshBalancesSince(moment: number): Promise<void> {
  await refreshBalances();
  if (beganAt < moment) await refreshBalances();
}
