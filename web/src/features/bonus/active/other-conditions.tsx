import { useTranslation } from 'react-i18next';
import { withMissing } from '../../../shared/incentive/open-condition.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConditionProgress } from '../../../shared/incentive/condition-progress.tsx';
import type { ActiveStatus } from './active-status.ts';

export type OtherConditionsProps = {
  status: ActiveStatus;
  onGiveBack: (condition: ActiveStatus['conditions'][number]) => void;
};

/** What else holds withdrawals back: refunds, invite money and coupons have conditions of their own. */
export function OtherConditions({ status, onGiveBack }: OtherConditionsProps) {
  const { t } = useTranslation('bonus');
  const { currency } = useMoney();
  const others = status.conditions.filter(({ kind }) => kind !== 'BONUS' && kind !== 'PROMOTION');
  if (others.length === 0) return null;
  return (
    <Card title={t('others')}>
      <ul className="grid gap-5">
        {others.map((condition) => (
          <li key={condition.reference}>
            <ConditionProgress
              condition={withMissing(condition)}
              currency={currency}
              withName
              amongOthers={status.conditions.length > 1}
            />
            <div className="mt-4">
              <Button
                variant="danger"
                wide
                aria-haspopup="dialog"
                disabled={condition.state === 'CLEARING'}
                onClick={() => onGiveBack(condition)}
              >
                {t('giveBack.open')}
                <span className="sr-only"> · {condition.name}</span>
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </Card>
  );
}
