import { useTranslation } from 'react-i18next';
import { withMissing } from '../../../shared/incentive/open-condition.ts';
import { useMoney } from '../../../shared/wallet/use-money.ts';
import { Card } from '../../../ui/card.tsx';
import { ConditionProgress } from '../../../shared/incentive/condition-progress.tsx';
import type { ActiveStatus } from './active-status.ts';

/** What else holds withdrawals back: refunds, invite money and coupons have conditions of their own. */
export function OtherConditions({ status }: { status: ActiveStatus }) {
  const { t } = useTranslation('bonus');
  const { currency } = useMoney();
  const others = status.conditions.filter(({ kind }) => kind !== 'BONUS' && kind !== 'PROMOTION');
  if (others.length === 0) return null;
  return (
    <Card title={t('others')}>
      <ul className="grid gap-5">
        {others.map((condition) => (
          <li key={`${condition.kind} ${condition.startedAt}`}>
            <ConditionProgress
              condition={withMissing(condition)}
              currency={currency}
              withName
              amongOthers={status.conditions.length > 1}
            />
          </li>
        ))}
      </ul>
    </Card>
  );
}
