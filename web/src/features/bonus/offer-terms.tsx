import { useTranslation } from 'react-i18next';
import { useMoney } from '../../member/money.ts';
import type { Bonus } from './card-state.ts';

export type TermsProps = {
  /** What the offer gives, as text; omitted where a text of the operator says it. */
  gives?: string;
  /** Limit of receipts, as text. */
  often?: string;
  offer: Pick<Bonus, 'minimumDeposit' | 'windowHours' | 'percentSuccess' | 'turnoverTimes' | 'percentFail'>;
};

/** Terms of an offer with the values that the server enforces. */
export function Terms({ gives, often, offer }: TermsProps) {
  const { t } = useTranslation('bonus');
  const money = useMoney();
  const terms = [
    [t('terms.gives'), gives],
    [t('terms.often'), often],
    [t('terms.minimumDeposit'), offer.minimumDeposit > 0 && money.text(offer.minimumDeposit)],
    [t('terms.window'), t('terms.hours', { count: offer.windowHours })],
    [t('terms.target'), t('terms.percentOf', { percent: offer.percentSuccess })],
    [t('terms.turnover'), offer.turnoverTimes !== null && t('terms.timesOf', { times: offer.turnoverTimes })],
    [t('terms.floor'), t('terms.percentOf', { percent: offer.percentFail })],
  ] as const;
  return (
    <dl className="grid gap-2 rounded-md bg-well px-4 py-3 text-sm ring-1 ring-line">
      {terms.map(
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

/** Text of what a bonus gives: a percentage of the deposit up to a maximum, or a fixed amount. */
export function useGives(): (bonus: Pick<Bonus, 'percent' | 'fixed' | 'maximum'>) => string {
  const { t } = useTranslation('bonus');
  const money = useMoney();
  return ({ percent, fixed, maximum }) => {
    if (percent === null) return t('gives.fixed', { amount: money.text(fixed ?? 0) });
    if (maximum === null) return t('gives.percent', { percent });
    return t('gives.percentUpTo', { percent, maximum: money.text(maximum) });
  };
}
