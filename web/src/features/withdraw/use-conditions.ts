import { useQuery } from '@tanstack/react-query';
import type { OpenCondition } from '../../shared/incentive/open-condition.ts';
import { apiQuery } from '../../api/query.ts';

/** What must be met before money can be taken out. None while they can't be had: the server holds to them all the same. */
export function useConditions(): { conditions: readonly OpenCondition[]; isLoading: boolean } {
  const { data, isLoading } = useQuery(apiQuery('GET /api/bonus/check/active', { quiet: true }));
  return { conditions: data?.conditions ?? [], isLoading };
}
