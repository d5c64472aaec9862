import { useState, useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { useCommand } from '../../api/query/command.ts';
import { useQuery } from '@tanstack/react-query';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { type EndedWithdrawal, endedWithdrawal } from '../../member/withdrawal.ts';

export type Requested = Reply<'POST /api/wallet/withdrawAll'>;

/** Requests a withdrawal of an amount. Its progress comes from the wallet and the member's events. */
export const useWithdraw = () =>
  useCommand<number, Requested>({
    send: (amount, { key }) => call('POST /api/wallet/withdrawAll', { body: { amount }, idempotencyKey: key }),
    // Game balances may have been swept to the wallet even if the request was refused.
    invalidates: ['wallet', 'statement', 'bonus'],
  });

export type Withdraw = ReturnType<typeof useWithdraw>;

/** Polling interval of the outcome, in addition to events. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Follows a withdrawal to its outcome by events and by polling, because events are missed while disconnected.
 * @param reference of the open withdrawal, also of another window; followed until its outcome is known, also after it
 *   has closed
 */
export function useWithdrawalOutcome(reference: string | undefined): EndedWithdrawal | undefined {
  const [followed, setFollowed] = useState(reference);
  if (reference !== undefined && reference !== followed) setFollowed(reference);
  useEffect(
    () =>
      onMemberEvent((event) => {
        if (event.kind === 'withdraw' && event.state !== 'PROCESSING') setFollowed(event.reference);
      }),
    [],
  );
  const { data } = useQuery({
    // In the statement's scope: every event that changes it refetches this.
    queryKey: ['statement', 'withdrawal', followed],
    queryFn: async () => (followed === undefined ? null : ((await endedWithdrawal(followed)) ?? null)),
    enabled: followed !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : LOOK_AGAIN_MS),
  });
  return data ?? undefined;
}
