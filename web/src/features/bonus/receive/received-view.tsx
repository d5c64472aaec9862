import { useTranslation } from 'react-i18next';
import { withMissing } from '../../../shared/incentive/open-condition.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { GiftArt } from '../../../ui/art/gift-art.tsx';
import { ConditionProgress } from '../../../shared/incentive/condition-progress.tsx';
import type { Received } from './use-receive-bonus.ts';

/** What was received, where it is, and its condition for a withdrawal. */
export function ReceivedView({ received: { amount, condition } }: { received: Received }) {
  const { t } = useTranslation('bonus');
  const { currency, text } = useMoney();
  return (
    <div className="grid gap-5">
      <div className="flex animate-rise flex-col items-center gap-1 text-center">
        <GiftArt />
        <p className="text-xl font-bold text-jade">{t('received.title', { amount: text(amount) })}</p>
        <p className="text-muted">{t('received.where')}</p>
      </div>
      {condition ? (
        <section className="grid gap-2 rounded-md bg-raised px-4 py-3">
          <h3 className="font-semibold">{t('received.asks')}</h3>
          <p className="text-sm text-muted">
            {t('received.asksText', { target: text(condition.target), floor: text(condition.floor) })}
          </p>
          <ConditionProgress condition={withMissing(condition)} currency={currency} />
        </section>
      ) : (
        <p className="text-center text-muted">{t('received.asksNothing')}</p>
      )}
    </div>
  );
}
