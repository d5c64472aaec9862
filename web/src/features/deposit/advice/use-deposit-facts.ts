import { STORAGE } from '@krapao/contract/constants';
import type { KnownFacts } from '@krapao/contract/deposit-advice';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { serverNow } from '../../../api/call.ts';
import { apiQuery } from '../../../api/query/query.ts';
import { readSessionValue, writeSessionValue } from '../../../api/session.ts';
import type { Reply } from '../../../api/types.ts';
import { lastUsedMethod } from '../methods.ts';

/** Facts for the recommendation, and the amount that the question proposes. */
export type DepositFacts = KnownFacts & Pick<Reply<'GET /api/deposit/advice'>, 'lastAmount'>;

/** Longest wait for the facts, in ms. */
const PATIENCE_MS = 800;

/**
 * Facts for the recommendation. The first that are known are kept: a later reply would change the button under a finger.
 * A late or failed reply is replaced by the previous one of the session, so that a reload recommends the same.
 * @returns undefined while waiting
 */
export function useDepositFacts(): DepositFacts | undefined {
  const { data, isError, isFetching } = useQuery({
    ...apiQuery('GET /api/deposit/advice', { quiet: true }),
    staleTime: 0,
    retry: false,
  });
  const [isLate, setLate] = useState(false);
  const [facts, setFacts] = useState<DepositFacts>();
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (data) writeSessionValue(STORAGE.depositFacts, data);
  }, [data]);
  if (!facts && ((data && !isFetching) || isError || isLate)) setFacts(data ?? storedFacts() ?? factsOfVisit());
  return facts;
}

const storedFacts = (): DepositFacts | undefined => readSessionValue(STORAGE.depositFacts) as DepositFacts | undefined;

/** Without any facts of the server, the last method of this visit is the last used one. */
function factsOfVisit(): DepositFacts {
  const at = new Date(serverNow()).toISOString();
  const id = lastUsedMethod();
  const unmeasured = { isOpen: true, opensAt: null, isHealthy: true, medianSeconds: null, samples: 0 };
  const ways = id === undefined ? [] : [{ id, ...unmeasured, lastUsedAt: at, lastWorked: true }];
  return { at, headroom: null, freesAt: null, lastAmount: null, ways };
}
