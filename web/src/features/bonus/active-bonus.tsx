import { STORAGE } from '@krapao/contract/constants';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Reply } from '../../api/types.ts';
import { readStored, writeStored } from '../../browser/storage.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { endedConditionsQuery, conditionEndText } from '../../shared/ended-conditions.ts';
import { withMissing, ConditionProgress } from '../../shared/incentive.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';

export type ActiveBonusProps = { active: ActiveStatus; onCancel: () => void };

/** The active bonus or promotion: name, progress of its condition, and a cancel button. */
export function ActiveBonus({ active, onCancel }: ActiveBonusProps) {
  const { t } = useTranslation('bonus');
  const { currency } = useCurrency();
  const { type, condition, conditions } = active;
  return (
    <Card title={t('active.heading')}>
      <div className="mb-4">
        {type && (
          <p className="night mb-1 w-fit rounded-full bg-lacquer-deep px-2.5 py-0.5 text-xs text-gold-lit ring-1 ring-gold/40">
            {t(`type.${type}`)}
          </p>
        )}
        <p className="text-lg leading-normal font-bold">{conditionName(active)}</p>
      </div>
      {condition && (
        <ConditionProgress
          condition={withMissing(condition)}
          currency={currency}
          isOneOfSeveral={conditions.length > 1}
        />
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

/** Whether a bonus or promotion is active, and all conditions that block withdrawals. */
export type ActiveStatus = Reply<'GET /api/bonus/check/active'>;

/** Display name of the active bonus or promotion. */
export const conditionName = ({ condition, code }: ActiveStatus): string => condition?.name || code;

/** Lists conditions that ended automatically since the member last confirmed this list, with their final progress. */
export function EndedConditionNotes() {
  const { t } = useTranslation('incentive');
  const { data = [] } = useQuery(endedConditionsQuery);
  const [seenUntil, setSeenUntil] = useState(() => readStored(STORAGE.endingsSeen) ?? '');
  const unseenEndings = data.filter(({ endedAt }) => endedAt > seenUntil);
  const [newestUnseen] = unseenEndings;
  if (!newestUnseen) return null;
  const markAsSeen = (): void => {
    writeStored(STORAGE.endingsSeen, newestUnseen.endedAt);
    setSeenUntil(newestUnseen.endedAt);
  };
  return (
    <section className="grid gap-3 rounded-lg bg-raised px-4 py-3 shadow-low ring-1 ring-line">
      <ul className="grid gap-2">
        {unseenEndings.map((ending) => (
          <li key={ending.reference} className={ending.how === 'SUCCESS' ? 'text-jade' : 'text-amber'}>
            {conditionEndText(ending)}
          </li>
        ))}
      </ul>
      <Button variant="quiet" size="sm" onClick={markAsSeen}>
        {t('seen')}
      </Button>
    </section>
  );
}

export type OtherConditionsProps = {
  status: ActiveStatus;
  onGiveBack: (condition: ActiveStatus['conditions'][number]) => void;
};

/** Lists the other conditions that block withdrawals: of refunds, invite money and coupons. */
export function OtherConditions({ status, onGiveBack }: OtherConditionsProps) {
  const { t } = useTranslation('bonus');
  const { currency } = useCurrency();
  const otherConditions = status.conditions.filter(({ kind }) => kind !== 'BONUS' && kind !== 'PROMOTION');
  if (otherConditions.length === 0) return null;
  return (
    <Card title={t('others')}>
      <ul className="grid gap-5">
        {otherConditions.map((condition) => (
          <li key={condition.reference}>
            <ConditionProgress
              condition={withMissing(condition)}
              currency={currency}
              withName
              isOneOfSeveral={status.conditions.length > 1}
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
