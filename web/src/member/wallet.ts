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

/** Wallet snapshot of a member. */
export type Wallet = Reply<'GET /api/wallet'>;
export type GameAccount = Wallet['slots'][number];

/** Code of the wallet among accounts. */
export const WALLET = 'WALLET';

/**
 * Polling interval during a transfer: its event arrives just before the game account is free again, which has no event.
 */
const UNDER_WAY_AGAIN_MS = 3_000;

/** Retry interval of a failed first load, in ms. */
const FIRST_LOAD_AGAIN_MS = 15_000;

/**
 * The member's wallet, kept current by events, and polled during a transfer. A failed load is only logged: the data
 * stays, and the next event, visit or press of "check balance" reloads it. A failed first load is retried
 * automatically.
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

/** A game account's credits: its amount × ftWalletSlot. */
export function creditAmount({
  amount,
  ftWalletSlot,
}: Pick<GameAccount, 'amount' | 'ftWalletSlot'>): bigint | undefined {
  const units = fromWire(amount);
  return units === undefined || !Number.isSafeInteger(ftWalletSlot) ? undefined : units * BigInt(ftWalletSlot);
}

export const activeGames = (wallet: Wallet | undefined): GameAccount[] =>
  wallet?.slots.filter((game) => game.isActive && !game.inMaintenance) ?? [];

/** Start of the last round, in ms of `performance.now()`. */
let beganAt = -Infinity;

/**
 * Checks all game balances, stores the time, then reloads the wallet. A query, so that concurrent callers share one
 * round and `isFetching`. Its data is the time of the last successful round (ISO). A failed round keeps the time and
 * still reloads the wallet.
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

/** Runs a round immediately. Never throws: a failure is only logged. */
export const refreshBalances = (): Promise<void> =>
  queryClient.query(balancesRefresh).then(
    () => undefined,
    (failure: unknown) => logFailure('balances not refreshed', failure),
  );

/**
 * As {@link refreshBalances}, but starts another round if the one in progress began before `moment`.
 * @param moment in ms of `performance.now()`
 */
export async function refreshBalancesSince(moment: number): Promise<void> {
  await refreshBalances();
  if (beganAt < moment) await refreshBalances();
}
