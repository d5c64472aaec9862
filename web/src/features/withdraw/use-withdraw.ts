import { useCallback, useRef, useState, useEffect } from 'react';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/types.ts';
import { invalidate } from '../../api/query/query.ts';
import { useIdempotencyKey } from '../../api/query/command.ts';
import { useQuery } from '@tanstack/react-query';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { type EndedWithdrawal, endedWithdrawal } from '../../member/withdrawal.ts';

export type Requested = Reply<'POST /api/wallet/withdrawAll'>;

/** How a request stands. `undecided`: no answer came; sending it again can't take the money twice. */
export type WithdrawPhase =
  | { step: 'idle' }
  | { step: 'sending'; amount: number }
  | { step: 'requested'; amount: number; answer: Requested }
  | { step: 'failed'; amount: number; failure: unknown }
  | { step: 'undecided'; amount: number; failure: unknown };

/** Requests a withdrawal. Its progress comes with the wallet and the member's events. */
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
        // Money of the games may have come home even when the request was refused.
        void invalidate('wallet', 'statement', 'bonus');
      }
    },
    [currentKey, settleKey],
  );
  const reset = useCallback(() => setState({ step: 'idle' }), []);
  return { state, send, reset };
}

/** Polling interval of a withdrawal's outcome, besides every event of the member's money. */
const LOOK_AGAIN_MS = 5_000;

/**
 * Follows a withdrawal to its end: by the member's events, and by asking, for an event may come while the line is down.
 * @param reference of the open withdrawal; once seen it is followed, also after it has ended. One of
 * another window is followed until its outcome is known
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
    // A word of the statement: every event that changes it asks again.
    queryKey: ['statement', 'withdrawal', followed],
    queryFn: async () => (followed === undefined ? null : ((await endedWithdrawal(followed)) ?? null)),
    enabled: followed !== undefined,
    refetchInterval: ({ state }) => (state.data ? false : LOOK_AGAIN_MS),
  });
  return data ?? undefined;
}
