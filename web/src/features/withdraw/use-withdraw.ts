import { useCallback, useRef, useState } from 'react';
import { call } from '../../api/call.ts';
import type { Reply } from '../../api/endpoint-types.ts';
import { invalidate } from '../../api/query.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';

export type Requested = Reply<'POST /api/wallet/withdrawAll'>;

/** How a request stands. `undecided`: no answer came; sending it again can't take the money twice. */
export type WithdrawStep =
  | { step: 'idle' }
  | { step: 'sending'; amount: number }
  | { step: 'requested'; amount: number; answer: Requested }
  | { step: 'failed'; amount: number; failure: unknown }
  | { step: 'undecided'; amount: number; failure: unknown };

/** Requests a withdrawal. Its progress comes with the wallet and the member's events. */
export function useWithdraw() {
  const [state, setState] = useState<WithdrawStep>({ step: 'idle' });
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
