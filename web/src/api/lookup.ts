import { useCallback, useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { i18n } from '../i18n/i18n.ts';
import { onReconnect } from '../shell/connection.ts';
import { call } from './call.ts';
import { ApiFailure } from './errors.ts';
import type { CallArguments, EndpointName, Reply } from './types.ts';

/** Calls without input, cached by name. */
export type LookupName = Extract<EndpointName, `GET /api/lookup/${string}`>;

export type Lookup<N extends LookupName> = {
  data: Reply<N> | undefined;
  failure: unknown;
  retry: () => void;
};

const answers = new Map<string, Promise<unknown>>();

/** Drops every reply, so that the next use requests it again. */
export const clearLookups = (): void => answers.clear();

/** Requests once per visit and language, because replies are in the member's; a failed request can be retried. */
export function lookUp<N extends LookupName>(name: N, quiet = false): Promise<Reply<N>> {
  const question = `${i18n.language} ${name}`;
  const known = answers.get(question) as Promise<Reply<N>> | undefined;
  if (known) return known;
  const asked = call(name, ...([{ quiet }] as unknown as CallArguments<N>));
  answers.set(question, asked);
  asked.catch(() => answers.delete(question));
  return asked;
}

/**
 * Operator data, also for public pages (no query library). `data` is undefined until loaded. A request without a reply,
 * or not sent while offline, is repeated on reconnection.
 */
export function useLookup<N extends LookupName>(name: N, quiet = false): Lookup<N> {
  const [state, setState] = useState<{ data?: Reply<N>; failure?: unknown }>({});
  const [tries, setTries] = useState(0);
  const { language } = useTranslation().i18n;
  useEffect(() => {
    let isCurrent = true;
    lookUp(name, quiet).then(
      (data) => isCurrent && setState({ data }),
      (failure: unknown) => isCurrent && setState({ failure }),
    );
    return () => {
      isCurrent = false;
    };
  }, [name, quiet, tries, language]);
  const retry = useCallback(() => {
    setState({});
    setTries((before) => before + 1);
  }, []);
  const { failure } = state;
  useEffect(() => {
    if (!(failure instanceof ApiFailure && failure.isSilence)) return;
    return onReconnect(retry);
  }, [failure, retry]);
  return { data: state.data, failure, retry };
}
