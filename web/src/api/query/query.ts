import { onlineManager, QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { isOnline, onConnectionChange } from '../../shell/connection.ts';
import { call } from '../call.ts';
import type { CallArguments, EndpointName, Reply } from '../types.ts';
import { ApiFailure } from '../errors.ts';
import { onSessionEnd } from '../session.ts';
import { PAGE_SIZE } from '@krapao/contract/constants';
import { useState } from 'react';

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
export const queryScope = (name: EndpointName): string => name.split('/')[2] ?? name;

/**
 * A call as a query: `useQuery(apiQuery('GET /api/wallet'))`. Its key is [word, call, input], so that
 * `invalidate('wallet')` reaches every query of the word.
 */
export function apiQuery<N extends EndpointName>(name: N, ...args: CallArguments<N>) {
  const [input] = args;
  return queryOptions<Reply<N>>({
    queryKey: [queryScope(name), name, input ?? null],
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
export const invalidateAndWait = (...words: string[]): Promise<unknown> =>
  Promise.race([invalidate(...words), new Promise((resolve) => setTimeout(resolve, FRESH_WITHIN_MS))]);

/** Calls that answer one page of a list, and how long the whole of it is. */
type PagedName = {
  [N in EndpointName]: N extends `POST ${string}` ? (Reply<N> extends { total: number } ? N : never) : never;
}[EndpointName];

type PagedOptions<N extends PagedName> = {
  /** Entries on a page; the page size of the product unless told. */
  limit?: number;
  /** As of a call. */
  quiet?: boolean;
  /** Milliseconds until a page that stands as it does is asked for again; `false` for never. */
  againMs?: (page: Reply<N>) => number | false;
};

/**
 * A list, page by page. The page that was there stays until the next one has come, and when that can't be had: the way back
 * to it must not go with it. Pressing the number that failed asks for it again.
 */
export function usePaged<N extends PagedName>(name: N, options: PagedOptions<N> = {}) {
  const { limit = PAGE_SIZE, quiet = false, againMs } = options;
  const [page, setPage] = useState(1);
  const query = useQuery({
    ...apiQuery(name, ...([{ body: { page, limit }, quiet }] as unknown as CallArguments<N>)),
    refetchInterval: ({ state }) => (state.data && againMs ? againMs(state.data) : false),
  });
  const [last, setLast] = useState<{ page: number; data: Reply<N> }>();
  if (query.data && last?.data !== query.data) setLast({ page, data: query.data });
  const shown = query.data ? { page, data: query.data } : last;
  const isChangingPage = query.isPending && shown !== undefined;
  return {
    data: shown?.data,
    /** The first page is on its way. */
    isPending: query.isPending && !shown,
    /** Another page is on its way, and the one before still stands there. */
    isChangingPage,
    /** There never was a page, and the last try failed. */
    isLoadingError: query.isError && !shown,
    isFetching: query.isFetching,
    refetch: () => void query.refetch(),
    pager: shown && {
      page: isChangingPage ? page : shown.page,
      total: (shown.data as { total: number }).total,
      limit,
      onPage: (next: number) => (next === page ? void query.refetch() : setPage(next)),
    },
  };
}
