import { useTranslation } from 'react-i18next';
import { useCurrency } from '../../member/use-currency.ts';
import type { Bonus } from './card-state.ts';

export type TermsProps = {
  /** Text of the offered amount; omitted if an operator text already states it. */
  amountText?: string;
  /** Text of how often the offer can be received. */
  receiptLimit?: string;
  offer: Pick<Bonus, 'minimumDeposit' | 'windowHours' | 'percentSuccess' | 'turnoverTimes' | 'percentFail'>;
};

/** Terms of an offer, with the values that the server enforces. */
export function Terms({ amountText, receiptLimit, offer }: TermsProps) {
  const { t } = useTranslation('bonus');
  const money = useCurrency();
  const termRows = [
    [t('terms.gives'), amountText],
    [t('terms.often'), receiptLimit],
    [t('terms.minimumDeposit'), offer.minimumDeposit > 0 && money.format(offer.minimumDeposit)],
    [t('terms.window'), t('terms.hours', { count: offer.windowHours })],
    [t('terms.target'), t('terms.percentOf', { percent: offer.percentSuccess })],
    [t('terms.turnover'), offer.turnoverTimes !== null && t('terms.timesOf', { times: offer.turnoverTimes })],
    [t('terms.floor'), t('terms.percentOf', { percent: offer.percentFail })],
  ] as const;
  return (
    <dl className="grid gap-2 rounded-md bg-well px-4 py-3 text-sm ring-1 ring-line">
      {termRows.map(
        ([name, value]) =>
          value && (
            <div key={name} className="flex flex-wrap justify-between gap-x-4">
              <dt className="text-muted">{name}</dt>
              <dd className="font-semibold">{value}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Formats the amount of a bonus: a percentage of the deposit up to a maximum, or a fixed amount. */
export function useGivesText(): (bonus: Pick<Bonus, 'percent' | 'fixed' | 'maximum'>) => string {
  const { t } = useTranslation('bonus');
  const money = useCurrency();
  return ({ percent, fixed, maximum }) => {
    if (percent === null) return t('gives.fixed', { amount: money.format(fixed ?? 0) });
    if (maximum === null) return t('gives.percent', { percent });
    return t('gives.percentUpTo', { percent, maximum: money.format(maximum) });
  };
}
