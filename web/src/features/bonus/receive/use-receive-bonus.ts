import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../api/call.ts';
import type { Reply } from '../../../api/endpoint-types.ts';
import { ApiFailure } from '../../../api/failure.ts';
import { invalidate } from '../../../api/query.ts';
import { isUndecided } from '../../../api/use-idempotency-key.ts';

/** What was received, and its condition. */
export type Received = Reply<'GET /api/bonus/activate/{code}'>;

/** What can be received: a bonus of the list, or what a code gives. */
export type Offer = { kind: 'bonus' | 'promotion'; code: string };

/** What is answered to who has it already. */
const HAS_IT: readonly string[] = ['BONUS_ALREADY_ACTIVE', 'PROMOTION_RECEIVED'];

/**
 * Receives an offer. However it ends, what is on the page is asked for again: an answer that was lost may have been a yes.
 * `isOpen`: a try had no answer, so that what is refused since doesn't tell that nothing was received. `hasIt`: that it was.
 */
export function useReceiveBonus({ kind, code }: Offer) {
  const [isOpen, setOpen] = useState(false);
  const receive = useMutation<Received>({
    mutationFn: () =>
      kind === 'bonus'
        ? call('GET /api/bonus/activate/{code}', { params: { code } })
        : call('GET /api/promotion/activate/{code}', { params: { code } }),
    onError: (failure) => isUndecided(failure) && setOpen(true),
    onSettled: () => void invalidate('bonus', 'refund', 'wallet', 'statement'),
  });
  const { error } = receive;
  const hasIt = isOpen && error instanceof ApiFailure && HAS_IT.includes(error.message);
  return { ...receive, isOpen, hasIt };
}
