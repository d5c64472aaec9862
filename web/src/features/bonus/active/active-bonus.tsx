import { useTranslation } from 'react-i18next';
import { withMissing } from '../../../shared/incentive/open-condition.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConditionProgress } from '../../../shared/incentive/condition-progress.tsx';
import { type ActiveStatus, nameOf } from './active-status.ts';

export type ActiveBonusProps = { active: ActiveStatus; onCancel: () => void };

/** The bonus or promotion in use: what it is, how far its condition is, and a way out of it. */
export function ActiveBonus({ active, onCancel }: ActiveBonusProps) {
  const { t } = useTranslation('bonus');
  const { currency } = useMoney();
  const { type, condition, conditions } = active;
  return (
    <Card title={t('active.heading')}>
      <div className="mb-4">
        {type && (
          <p className="mb-1 w-fit rounded-full bg-lacquer-deep px-2.5 py-0.5 text-xs text-gold-lit ring-1 ring-gold/40">
            {t(`type.${type}`)}
          </p>
        )}
        <p className="text-lg leading-normal font-bold">{nameOf(active)}</p>
      </div>
      {condition && (
        <ConditionProgress condition={withMissing(condition)} currency={currency} amongOthers={conditions.length > 1} />
      )}
      <div className="mt-5 border-t border-line pt-4">
        <Button
          variant="danger"
          wide
          aria-haspopup="dialog"
          disabled={condition?.state === 'CLEARING'}
          onClick={onCancel}
        >
          {t('cancel.open')}
        </Button>
      </div>
    </Card>
  );
}
