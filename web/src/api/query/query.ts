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

/** Scope of a call for invalidation: "GET /api/wallet/account/{slotCode}" → "wallet". */
export const queryScope = (name: EndpointName): string => name.split('/')[2] ?? name;

/**
 * A call as a query: `useQuery(apiQuery('GET /api/wallet'))`. Its key is [scope, call, input], so that
 * `invalidate('wallet')` reaches every query of the scope.
 */
export function apiQuery<N extends EndpointName>(name: N, ...args: CallArguments<N>) {
  const [input] = args;
  return queryOptions<Reply<N>>({
    queryKey: [queryScope(name), name, input ?? null],
    queryFn: ({ signal }) => call(name, ...([{ ...input, signal }] as unknown as CallArguments<N>)),
  });
}

/**
 * Marks all queries of these scopes as stale and refetches visible ones. A first load in flight restarts: its reply may
 * be older than the cause of the invalidation.
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

/** Longest delay of an outcome until the figures beside it are fresh, in ms. */
const FRESH_WITHIN_MS = 2_000;

/** As {@link invalidate}, but waits for fresh figures, at most two seconds. */
export const invalidateAndWait = (...words: string[]): Promise<unknown> =>
  Promise.race([invalidate(...words), new Promise((resolve) => setTimeout(resolve, FRESH_WITHIN_MS))]);

/** Paged calls: one page of a list, and its total. */
type PagedName = {
  [N in EndpointName]: N extends `POST ${string}` ? (Reply<N> extends { total: number } ? N : never) : never;
}[EndpointName];

type PagedOptions<N extends PagedName> = {
  /** Entries per page; default: the page size of the product. */
  limit?: number;
  /** As for a call. */
  quiet?: boolean;
  /** Milliseconds until the page is refetched; `false`: never. */
  againMs?: (page: Reply<N>) => number | false;
};

/**
 * A paged list. The previous page stays until the next one has loaded, also if that fails. Pressing the failed number
 * retries it.
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
    /** The first page is loading. */
    isPending: query.isPending && !shown,
    /** Another page is loading while the previous one is shown. */
    isChangingPage,
    /** No page was ever loaded, and the last attempt failed. */
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
