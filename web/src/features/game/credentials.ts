import { queryOptions } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/endpoint-types.ts';
import { queryClient } from '../../api/query.ts';

export type Credentials = Reply<'GET /api/wallet/account/{slotCode}'>;

/**
 * Username and password of a game account. Every reveal is written down, so they are requested only when the member wants
 * them, and forgotten when the dialog has been closed for a minute.
 */
export const credentialsQuery = (code: string) =>
  queryOptions<Credentials>({
    queryKey: ['game-credentials', code],
    queryFn: () => call('GET /api/wallet/account/{slotCode}', { params: { slotCode: code } }),
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
    // The member waits with a tab open: offline it fails at once.
    networkMode: 'always',
  });

/** The credentials we have, or those that the server tells. */
export const readCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 'static' });

/** Shows what has just been made, without waiting for it to be asked for. */
export const noteCredentials = (code: string, made: Credentials): unknown =>
  queryClient.setQueryData(credentialsQuery(code).queryKey, made);

/** Asks again after something has changed them. */
export const refetchCredentials = (code: string): Promise<Credentials> =>
  queryClient.query({ ...credentialsQuery(code), staleTime: 0 });
