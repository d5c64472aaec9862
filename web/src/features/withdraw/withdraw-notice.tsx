import { useTranslation } from 'react-i18next';
import { useOperatorNotice } from '../../shared/lookup/use-operator-notice.ts';
import { InfoIcon } from '../../ui/icons/shell-icons.tsx';
import { Skeleton } from '../../ui/state/skeleton.tsx';
import { OpenConditions } from './open-conditions.tsx';
import { useConditions } from './use-conditions.ts';

/** What bonuses have to do with a withdrawal, in the operator's words, in ours while theirs can't be had; and what holds it back now. */
export function WithdrawNotice() {
  const { t } = useTranslation('withdraw');
  const { conditions, isLoading } = useConditions();
  const bonus = conditions.find(({ kind }) => kind === 'BONUS' || kind === 'PROMOTION');
  const text = useOperatorNotice(bonus?.percentFail ?? t('percentSet'));
  if (text === undefined || isLoading) return <Skeleton className="h-24 w-full" />;
  return (
    <section aria-label={t('conditions')} className="flex items-start gap-3 rounded-md bg-raised px-4 py-3 text-sm">
      <InfoIcon className="mt-0.5 size-5 shrink-0 text-gold" />
      <div className="min-w-0 grow">
        <h3 className="font-semibold text-gold-lit">{t('conditions')}</h3>
        <p className="text-muted">{text || t('noNotice')}</p>
        <OpenConditions conditions={conditions} />
      </div>
    </section>
  );
}
