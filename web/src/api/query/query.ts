import { PAGE_SIZE } from '@krapao/contract/constants';
import { onlineManager, QueryClient, queryOptions, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isOnline, onConnectionChange } from '../../browser/connection.ts';
import { call } from '../call.ts';
import { ApiFailure } from '../errors.ts';
import { onSessionEnd } from '../session.ts';
import type { CallArguments, EndpointName, Reply } from '../types.ts';

/** Visible queries are refetched when the member returns to the page. A refused request is not retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      gcTime: 5 * 60_000,
      // The first attempt ignores the browser's online flag; retries wait until the app is online.
      networkMode: 'offlineFirst',
      retry: (failures, failure) => failures < 2 && failure instanceof ApiFailure && failure.hasNoReply,
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

onSessionEnd(() => queryClient.clear());

// The library's default uses the browser's online events, which are wrong on some working connections.
onlineManager.setEventListener((setOnline) => onConnectionChange(() => setOnline(isOnline())));
onlineManager.setOnline(isOnline());

/** Query scope of a call: "GET /api/wallet/account/{slotCode}" → "wallet". */
export const queryScope = (name: EndpointName): string => name.split('/')[2] ?? name;

/**
 * A call as query options: `useQuery(apiQuery('GET /api/wallet'))`. The key is [scope, call, input], so that
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
 * Marks all queries of these scopes as stale and refetches the visible ones. A pending first load restarts, because its
 * reply may be older than the change.
 */
export const invalidate = (...scopes: string[]): Promise<unknown> =>
  Promise.all(
    scopes.map(async (scope) => {
      await queryClient.cancelQueries({
        queryKey: [scope],
        predicate: ({ state }) => state.data === undefined && state.fetchStatus === 'fetching',
      });
      await queryClient.invalidateQueries({ queryKey: [scope] });
    }),
  );

/** Maximum wait in ms until the amounts beside an outcome are current. */
const REFETCH_WAIT_MS = 2_000;

/** Like {@link invalidate}, but waits until visible queries are refetched, at most two seconds. */
export const invalidateAndWait = (...scopes: string[]): Promise<unknown> =>
  Promise.race([invalidate(...scopes), new Promise((resolve) => setTimeout(resolve, REFETCH_WAIT_MS))]);

/** Names of calls that return one page of a list and the list's total. */
type PagedName = {
  [N in EndpointName]: N extends `POST ${string}` ? (Reply<N> extends { total: number } ? N : never) : never;
}[EndpointName];

type PagedOptions<N extends PagedName> = {
  /** Entries per page; the product's page size by default. */
  limit?: number;
  /** Other fields of the body, such as a filter. A change starts at the first page. */
  body?: object;
  /** Hides the loader, as in `call`. */
  quiet?: boolean;
  /** Interval in ms until the page is refetched; `false` disables it. */
  refetchIntervalMs?: (page: Reply<N>) => number | false;
};

/** Where the page after a shown one begins, if its list has cursors and more entries. */
function startAfter(shown: { page: number; data: unknown } | undefined): Readonly<Record<number, string>> {
  const reply = shown?.data as { next?: string } | undefined;
  return shown && reply?.next !== undefined ? { [shown.page + 1]: reply.next } : {};
}

/**
 * State of a paged list. A list with cursors continues after the last entry shown, so that entries that arrive neither
 * repeat nor hide others; the first page is always the newest. The previous page stays visible until the next one has loaded, also if loading fails. Pressing
 * the failed page number retries.
 */
export function usePaged<N extends PagedName>(name: N, options: PagedOptions<N> = {}) {
  const { limit = PAGE_SIZE, body, quiet = false, refetchIntervalMs } = options;
  const [page, setPage] = useState(1);
  /** Where each page began when it was first shown, by its number. */
  const [starts, setStarts] = useState<Readonly<Record<number, string>>>({});
  const bodyKey = JSON.stringify(body);
  const [lastBodyKey, setLastBodyKey] = useState(bodyKey);
  if (bodyKey !== lastBodyKey) {
    setLastBodyKey(bodyKey);
    setPage(1);
    setStarts({});
  }
  const start = starts[page];
  const place = { page, limit, ...body, ...(start !== undefined && { page: 1, before: start }) };
  const query = useQuery({
    ...apiQuery(name, ...([{ body: place, quiet }] as unknown as CallArguments<N>)),
    refetchInterval: ({ state }) => (state.data && refetchIntervalMs ? refetchIntervalMs(state.data) : false),
  });
  // A reply from a cursor on counts the entries after the previous pages.
  const before = (page - place.page) * limit;
  const [lastLoaded, setLast] = useState<{ page: number; before: number; data: Reply<N> }>();
  if (query.data && lastLoaded?.data !== query.data) setLast({ page, before, data: query.data });
  const displayed = query.data ? { page, before, data: query.data } : lastLoaded;
  const goTo = (newPage: number): void => {
    if (newPage === page) return void query.refetch();
    setStarts({ ...starts, ...startAfter(displayed) });
    setPage(newPage);
  };
  const isChangingPage = query.isPending && displayed !== undefined;
  return {
    data: displayed?.data,
    /** Whether the first page is loading. */
    isPending: query.isPending && !displayed,
    /** Whether another page is loading while the previous page is shown. */
    isChangingPage,
    /** Whether no page has been loaded and the last attempt failed. */
    isLoadingError: query.isError && !displayed,
    /** Whether the last attempt failed; the displayed page may be older. */
    isError: query.isError,
    isFetching: query.isFetching,
    refetch: () => void query.refetch(),
    pager: displayed && {
      page: isChangingPage ? page : displayed.page,
      total: displayed.before + (displayed.data as { total: number }).total,
      limit,
      onPage: goTo,
    },
  };
}
