import { STORAGE } from '@krapao/contract/constants';
import { queryOptions } from '@tanstack/react-query';
import { readStored, writeStored } from '../../storage.ts';
import { call } from '../../api/call.ts';
import { logFailure } from '../../api/log-failure.ts';
import { invalidate, queryClient } from '../../api/query.ts';
import { serverNow } from '../../api/server-clock.ts';

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
