import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { onReconnect } from '../browser/connection.ts';
import { i18n } from '../i18n/i18n.ts';
import { call } from './call.ts';
import { ApiFailure } from './errors.ts';
import type { CallArguments, EndpointName, Reply } from './types.ts';

/** Calls for operator data, which have no input and are cached by name. */
export type OperatorDataName = Extract<EndpointName, `GET /api/lookup/${string}`>;

export type OperatorDataState<N extends OperatorDataName> = {
  data: Reply<N> | undefined;
  failure: unknown;
  retry: () => void;
};

const cachedReplies = new Map<string, Promise<unknown>>();

/** Clears the cache, so that the next use sends a request. */
export const clearOperatorData = (): void => cachedReplies.clear();

/**
 * Returns operator data, requested once per visit and language because replies are translated. A failed request is not
 * cached.
 */
export function fetchOperatorData<N extends OperatorDataName>(name: N, quiet = false): Promise<Reply<N>> {
  const cacheKey = `${i18n.language} ${name}`;
  const cachedReply = cachedReplies.get(cacheKey) as Promise<Reply<N>> | undefined;
  if (cachedReply) return cachedReply;
  const reply = call(name, ...([{ quiet }] as unknown as CallArguments<N>));
  cachedReplies.set(cacheKey, reply);
  reply.catch(() => cachedReplies.delete(cacheKey));
  return reply;
}

/**
 * Operator data as React state, without the query library, so also for public pages. `data` is undefined until loaded.
 * After a reconnection, a request without a reply is repeated.
 */
export function useOperatorData<N extends OperatorDataName>(name: N, quiet = false): OperatorDataState<N> {
  const [state, setState] = useState<{ data?: Reply<N>; failure?: unknown }>({});
  const [retryCount, setRetryCount] = useState(0);
  const { language } = useTranslation().i18n;
  useEffect(() => {
    let isCurrent = true;
    fetchOperatorData(name, quiet).then(
      (data) => isCurrent && setState({ data }),
      (failure: unknown) => isCurrent && setState({ failure }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, quiet, retryCount, language]);
  const retry = useCallback(() => {
    setState({});
    setRetryCount((count) => count + 1);
  }, []);
  const { failure } = state;
  useEffect(() => {
    if (!(failure instanceof ApiFailure && failure.hasNoReply)) return;
    return onReconnect(retry);
  }, [failure, retry]);
  return { data: state.data, failure, retry };
}
