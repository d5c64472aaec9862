import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { ApiFailure } from '../../api/failure.ts';
import { invalidate, invalidateFirst } from '../../api/query.ts';
import { messageText } from '../../shared/errors/message-text.ts';
import { refusalText } from '../../shared/errors/refusal-text.ts';
import { isUndecided } from '../../api/use-idempotency-key.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { toast } from '../../ui/overlay/toast-store.ts';

/** Receiving a refund, and finishing a claim whose credit did not go through. */
export type RefundClaim = 'GET /api/refund/receive' | 'GET /api/refund/addWallet';

/** The catalogue says it in baht, which those who have kip never read. */
const isBelow = (failure: unknown): boolean => failure instanceof ApiFailure && failure.message === 'REFUND_MINIMUM';

/**
 * Makes a claim, says how it went, and asks again how things stand: the server gives once, however often it is asked.
 * `isSaved`: money has moved, or may have.
 */
export function useReceiveRefund() {
  const { t } = useTranslation('refund');
  const { currency, text } = useMoney();
  const [underWay, setUnderWay] = useState<RefundClaim>();
  const [isSaved, setSaved] = useState(false);
  const claim = async (name: RefundClaim): Promise<void> => {
    setUnderWay(name);
    try {
      const { message, refundAmount } = await call(name, { quiet: true });
      setSaved(true);
      toast.success(messageText(message, 'refund', { amount: text(refundAmount) }));
      // Until it is known that there is nothing left to receive, nothing is offered.
      await invalidateFirst('refund');
    } catch (failure) {
      if (isUndecided(failure)) setSaved(true);
      toast.danger(isBelow(failure) && currency === 'LAK' ? t('minimumKip') : refusalText(failure, 'refund'));
      void invalidate('refund');
    }
    setUnderWay(undefined);
  };
  return { underWay, isSaved, claim: (name: RefundClaim) => void claim(name) };
}
