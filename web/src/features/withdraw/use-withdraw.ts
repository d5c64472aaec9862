import { useQuery } from '@tanstack/react-query';
import { useState, useEffect } from 'react';
import { call } from '../../api/call.ts';
import { useCommand } from '../../api/query/command.ts';
import { onMemberEvent } from '../../api/query/member-events.ts';
import type { Reply } from '../../api/types.ts';
import { type EndedWithdrawal, endedWithdrawal } from '../../member/withdrawal.ts';

export type WithdrawalReply = Reply<'POST /api/wallet/withdrawAll'>;

/** Requests a withdrawal of an amount. The wallet and the member's events report its progress. */
export const useWithdraw = () =>
  useCommand<number, WithdrawalReply>({
    send: (amount, { key }) => call('POST /api/wallet/withdrawAll', { body: { amount }, idempotencyKey: key }),
    // The server may have moved game balances to the wallet even if it refused the request.
    invalidates: ['wallet', 'statement', 'bonus'],
  });

export type Withdraw = ReturnType<typeof useWithdraw>;

/** Polling interval of the outcome in ms, in addition to events. */
const OUTCOME_POLL_MS = 5_000;

/**
 * Returns the outcome of a withdrawal. Uses events and polling, because events are missed while disconnected.
 * @param reference of the pending withdrawal, which another window may have requested. It is followed until its outcome
 *   is known, even after it is no longer pending.
 */
export function useWithdrawalOutcome(reference: string | undefined): EndedWithdrawal | undefined {
  const [followedReference, setFollowedReference] = useState(reference);
  if (reference !== undefined && reference !== followedReference) setFollowedReference(reference);
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'withdraw' && event.state !== 'PROCESSING') setFollowedReference(event.reference);
      }),
    [],
  );
  const { data } = useQuery({
    // In the scope `statement`, so that every event that changes the statement also refetches this query.
    queryKey: ['statement', 'withdrawal', followedReference],
    queryFn: async () =>
      followedReference === undefined ? null : ((await endedWithdrawal(followedReference)) ?? null),
    enabled: followedReference !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : OUTCOME_POLL_MS),
  });
  return data ?? undefined;
}
