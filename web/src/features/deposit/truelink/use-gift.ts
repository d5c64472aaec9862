import { useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../../api/call.ts';
import { ApiFailure } from '../../../api/failure.ts';
import { onMemberEvent } from '../../../api/member-events.ts';
import { invalidate } from '../../../api/query.ts';
import { toast } from '../../../ui/overlay/toast-store.ts';
import { lookUp } from '../../../api/use-lookup.ts';
import { encryptLink } from './encrypt-link.ts';

/** How the sending of a gift link stands. `waiting`: the wallet app hasn't told yet. */
export type Gift =
  | { step: 'idle' | 'sending' }
  | { step: 'waiting'; link: string; reference: string }
  | { step: 'failed'; failure: unknown };

/** Polling interval of a pending link, in ms: an event announces its money, none its failure. */
const ASK_AGAIN_MS = 15_000;

const isRefused = (failure: unknown): failure is ApiFailure =>
  failure instanceof ApiFailure && (failure.message === 'TRUELINK_INVALID' || failure.message === 'TRUELINK_DUPLICATE');

async function redeem(link: string, quiet: boolean) {
  const { truelinkSecret } = await lookUp('GET /api/lookup/info', quiet);
  return call('POST /api/wallet/truelink', { body: { link: await encryptLink(link, truelinkSecret) }, quiet });
}

/**
 * Hands over a gift link and follows it to its end. The same link again is answered with how it stands, and redeemed once.
 * @param onArrived gets the amount, as on the wire, when the answer tells it
 */
export function useGift(onArrived: (amount: number) => void) {
  const { t } = useTranslation('deposit');
  const [gift, setGift] = useState<Gift>({ step: 'idle' });

  const send = async (link: string): Promise<boolean> => {
    setGift({ step: 'sending' });
    try {
      const answer = await redeem(link, false);
      void invalidate('wallet', 'statement');
      setGift(
        answer.status === 'PROCESSING' ? { step: 'waiting', link, reference: answer.reference } : { step: 'idle' },
      );
      if (answer.status === 'SUCCESS') onArrived(answer.amount);
      return true;
    } catch (failure) {
      setGift({ step: 'failed', failure });
      return false;
    }
  };

  const waiting = gift.step === 'waiting' ? gift : undefined;
  const over = useEffectEvent((of: Gift, next: Gift): boolean => {
    if (of !== gift) return false;
    setGift(next);
    return true;
  });
  useEffect(() => {
    if (!waiting) return;
    const ask = async (): Promise<void> => {
      try {
        await redeem(waiting.link, true);
      } catch (failure) {
        if (!isRefused(failure)) return;
        // Its money has come, and the event that tells it hasn't.
        const hasCome = failure.detail === 'SENT_BEFORE';
        if (!over(waiting, hasCome ? { step: 'idle' } : { step: 'failed', failure })) return;
        if (hasCome) toast.success(t('arrived'));
        void invalidate('wallet', 'statement');
      }
    };
    const timer = setInterval(() => void ask(), ASK_AGAIN_MS);
    const stop = onMemberEvent(({ reference, state }) => {
      if (reference === waiting.reference && state === 'SUCCESS') over(waiting, { step: 'idle' });
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [waiting, t]);

  return { gift, send, forget: () => setGift({ step: 'idle' }) };
}
