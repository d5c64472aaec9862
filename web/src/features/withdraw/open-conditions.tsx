import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { type OpenCondition, withMissing } from '../../shared/incentive/open-condition.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { warm } from '../../routing/screen.ts';
import { buttonClass } from '../../ui/button-class.ts';
import { ConditionProgress } from '../../shared/incentive/condition-progress.tsx';

const BONUS_PAGE = '/user/bonus';

/** Conditions that hold a withdrawal back: what each still needs, and a link to where they are explained and cancelled. */
export function OpenConditions({ conditions }: { conditions: readonly OpenCondition[] }) {
  const { t } = useTranslation('withdraw');
  const { currency } = useMoney();
  if (conditions.length === 0) return null;
  return (
    <div className="mt-3 grid gap-4 border-t border-line pt-3">
      <p className="font-semibold text-amber">{t('heldBack')}</p>
      {conditions.map((condition) => (
        <ConditionProgress
          key={`${condition.kind} ${condition.startedAt}`}
          condition={withMissing(condition)}
          currency={currency}
          withName
          amongOthers={conditions.length > 1}
        />
      ))}
      <Link
        href={BONUS_PAGE}
        className={buttonClass('quiet', 'sm')}
        onPointerEnter={() => warm(BONUS_PAGE)}
        onFocus={() => warm(BONUS_PAGE)}
      >
        {t('toBonuses')}
      </Link>
    </div>
  );
}
