import type { KnownFacts } from '@krapao/contract/deposit-advice';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { serverNow } from '../../../api/call.ts';
import { apiQuery } from '../../../api/query/query.ts';
import { lastUsedMethod } from '../methods.ts';

/** Longest wait for the facts, in ms. */
const PATIENCE_MS = 800;

/**
 * Facts for the recommendation. The first that are known are kept: a later reply would change the button under a finger.
 * @returns undefined while waiting
 */
export function useDepositFacts(): KnownFacts | undefined {
  const { data, isError } = useQuery({
    ...apiQuery('GET /api/deposit/advice', { quiet: true }),
    staleTime: 0,
    retry: false,
  });
  const [isLate, setLate] = useState(false);
  const [facts, setFacts] = useState<KnownFacts>();
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!facts && (data || isError || isLate)) setFacts(data ?? factsOfVisit());
  return facts;
}

/** Without the server's facts, the last method of this visit is the last used one. */
function factsOfVisit(): KnownFacts {
  const at = new Date(serverNow()).toISOString();
  const id = lastUsedMethod();
  const unmeasured = { isOpen: true, opensAt: null, isHealthy: true, medianSeconds: null, samples: 0 };
  const ways = id === undefined ? [] : [{ id, ...unmeasured, lastUsedAt: at, lastWorked: true }];
  return { at, headroom: null, freesAt: null, ways };
}
