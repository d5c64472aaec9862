import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query.ts';
import { serverNow } from '../../../api/server-clock.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { Amount } from '../../../ui/text/amount.tsx';
import { Button } from '../../../ui/button.tsx';
import { CopyButton } from '../../../ui/copy-button.tsx';
import { Countdown } from '../../../ui/text/countdown.tsx';
import type { DepositNotice } from './use-deposit-notice.ts';

export type NoticeGivenProps = {
  notice: DepositNotice;
  /** Asked to tell another amount. */ onEnd: () => void;
  /** Its time is over. */ onOver: () => void;
};

const LOOK_AGAIN_MS = 5_000;

/** What to send exactly, until when, and that nothing else is to be done. */
export function NoticeGiven({ notice, onEnd, onOver }: NoticeGivenProps) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const { amount, payAmount, expireIn, reference } = notice;
  // The member's own money is announced by an event; a third party's transfer is not, since it moves none.
  const { data: now } = useQuery({
    ...apiQuery('GET /api/wallet/add/{reference}', { params: { reference }, quiet: true }),
    refetchInterval: LOOK_AGAIN_MS,
  });
  const isThirdParty = now?.state === 'THIRD_PARTY';
  const isChanged = payAmount !== amount;
  return (
    <section role="status" className="grid gap-2 rounded-lg bg-amber-deep p-4 ring-1 ring-amber/50 ring-inset">
      <p className="font-medium text-amber">{t(isChanged ? 'sendExactly' : 'noticeGiven')}</p>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-2xl leading-tight font-bold text-ivory">
          <Amount value={payAmount} currency={money.currency} withSign />
        </p>
        <CopyButton text={String(payAmount)} label={t('copyAmount')} />
      </div>
      {isChanged && <p className="text-sm text-ivory">{t('whyExactly', { amount: money.text(amount) })}</p>}
      {isThirdParty ? (
        <p role="alert" className="text-sm font-medium text-amber">
          {t('noticeThirdParty', { amount: money.text(payAmount) })}
        </p>
      ) : (
        <p className="text-sm text-ivory">{t('noticeByItself')}</p>
      )}
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-sm text-ivory">
          {t('noticeUntil')} <Countdown until={expireIn} now={serverNow} onEnd={onOver} className="font-bold" />
        </p>
        <Button variant="plain" size="sm" onClick={onEnd}>
          {t('noticeOther')}
        </Button>
      </div>
    </section>
  );
}
