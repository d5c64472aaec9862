import { useTranslation } from 'react-i18next';
import type { Currency } from '@krapao/contract/money';
import { formatNumber } from '../../format/number.ts';
import { shareOf } from './share-of.ts';
import { Amount } from '../../ui/text/amount.tsx';

export type ConditionTermsProps = {
  /** What is received, together with what it is given on; 0 where it isn't known yet. */
  amount: number;
  percentSuccess: number;
  percentFail: number;
  currency: Currency;
  /** Shows both percentages also without a condition. */
  withPercentages?: boolean;
};

/** What money that the house gives asks before anything can be withdrawn, in percent and in amounts. */
export function ConditionTerms({
  amount,
  percentSuccess,
  percentFail,
  currency,
  withPercentages = false,
}: ConditionTermsProps) {
  const { t } = useTranslation('parts');
  // It begins at the whole: there is nothing left to reach.
  const isFree = percentSuccess <= 100;
  if (isFree && !withPercentages) return <p className="text-sm text-muted">{t('terms.free')}</p>;
  const ends = [
    { text: 'terms.success', percent: percentSuccess, rounds: 'up', colour: 'bg-jade' },
    { text: 'terms.fail', percent: percentFail, rounds: 'down', colour: 'bg-edge' },
  ] as const;
  return (
    <div className="text-sm">
      <p className="text-muted">{t(isFree ? 'terms.free' : 'terms.intro')}</p>
      <dl className="mt-2 grid gap-2">
        {ends.map(({ text, percent, rounds, colour }) => (
          <div key={text} className="flex items-baseline gap-2">
            <span aria-hidden="true" className={`size-2 shrink-0 -translate-y-px rounded-full ${colour}`} />
            <dt className="min-w-0 grow">{t(text, { percent: formatNumber(percent, 0) })}</dt>
            <dd className="font-semibold text-gold-lit">
              {amount > 0 && <Amount value={shareOf(amount, percent, currency, rounds)} currency={currency} withSign />}
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
