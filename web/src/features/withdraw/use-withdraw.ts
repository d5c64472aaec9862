import { useCallback, useRef, useState, useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { invalidate } from '../../api/query/query.ts';
import { useIdempotencyKey } from '../../api/query/command.ts';
import { useQuery } from '@tanstack/react-query';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { type EndedWithdrawal, endedWithdrawal } from '../../member/withdrawal.ts';

export type Requested = Reply<'POST /api/wallet/withdrawAll'>;

/** State of a request. `undecided`: no reply; a retry does not take the money twice. */
export type WithdrawPhase =
  | { step: 'idle' }
  | { step: 'sending'; amount: number }
  | { step: 'requested'; amount: number; answer: Requested }
  | { step: 'failed'; amount: number; failure: unknown }
  | { step: 'undecided'; amount: number; failure: unknown };

/** Requests a withdrawal. Its progress comes from the wallet and the member's events. */
export function useWithdraw() {
  const [state, setState] = useState<WithdrawPhase>({ step: 'idle' });
  const isSending = useRef(false);
  const { current: currentKey, settle: settleKey } = useIdempotencyKey();

  const send = useCallback(
    async (amount: number): Promise<void> => {
      if (isSending.current) return;
      isSending.current = true;
      setState({ step: 'sending', amount });
      const body = { amount };
      try {
        const answer = await call('POST /api/wallet/withdrawAll', { body, idempotencyKey: currentKey(body) });
        settleKey();
        setState({ step: 'requested', amount, answer });
      } catch (failure) {
        setState({ step: settleKey(failure) ? 'undecided' : 'failed', amount, failure });
      } finally {
        isSending.current = false;
        // Game balances may have been swept to the wallet even if the request was refused.
        void invalidate('wallet', 'statement', 'bonus');
      }
    },
    [currentKey, settleKey],
  );
  const reset = useCallback(() => setState({ step: 'idle' }), []);
  return { state, send, reset };
}

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
