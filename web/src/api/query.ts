import { onlineManager, QueryClient, queryOptions } from '@tanstack/react-query';
import { isOnline, onConnectionChange } from '../connection.ts';
import { call } from './call.ts';
import type { CallArguments, EndpointName, Reply } from './endpoint-types.ts';
import { ApiFailure } from './failure.ts';
import { onSessionEnd } from './session.ts';

/** Visible data is refetched when the member returns to it; a refusal is not retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      // The first attempt ignores the browser's online flag; retries wait for the connection.
      networkMode: 'offlineFirst',
      retry: (failures, failure) => failures < 2 && failure instanceof ApiFailure && failure.isSilence,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

onSessionEnd(() => queryClient.clear());

// The library's default uses browser events, which are wrong on some working connections.
onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isOnline())));
onlineManager.setOnline(isOnline());

/** The word of a call, by which queries are invalidated: "GET /api/wallet/account/{slotCode}" → "wallet". */
export const wordOf = (name: EndpointName): string => name.split('/')[2] ?? name;

/**
 * A call as a query: `useQuery(apiQuery('GET /api/wallet'))`. Its key is [word, call, input], so that
 * `invalidate('wallet')` reaches every query of the word.
 */
export function apiQuery<N extends EndpointName>(name: N, ...args: CallArguments<N>) {
  const [input] = args;
  return queryOptions<Reply<N>>({
    queryKey: [wordOf(name), name, input ?? null],
    queryFn: ({ signal }) => call(name, ...([{ ...input, signal }] as unknown as CallArguments<N>)),
  });
}

/**
 * Marks everything of these words as stale, so that what is on screen is fetched again. A first load that is in flight
 * is started over: the query library would take its answer, which may be older than what made it stale.
 */
export const invalidate = (...words: string[]): Promise<unknown> =>
  Promise.all(
    words.map(async (word) => {
      await queryClient.cancelQueries({
        queryKey: [word],
        predicate: ({ state }) => state.data === undefined && state.fetchStatus === 'fetching',
      });
      await queryClient.invalidateQueries({ queryKey: [word] });
    }),
  );

/** What an outcome is held back for, so that the figures beside it are those after it, in ms. */
const FRESH_WITHIN_MS = 2_000;

/** As {@link invalidate}, before an outcome is shown: waits for fresh figures, at most two seconds. */
export const invalidateFirst = (...words: string[]): Promise<unknown> =>
  Promise.race([invalidate(...words), new Promise((resolve) => setTimeout(resolve, FRESH_WITHIN_MS))]);
