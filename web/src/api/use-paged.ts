import { PAGE_SIZE } from '@krapao/contract/constants';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { CallArguments, EndpointName, Reply } from './endpoint-types.ts';
import { apiQuery } from './query.ts';

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
