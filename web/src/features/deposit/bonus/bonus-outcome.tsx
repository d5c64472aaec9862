import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../../api/query/query.ts';
import { useMoney } from '../../../member/money.ts';
import { openMoney } from '../../../member/open-money.ts';
import { Button } from '../../../ui/core/button.tsx';

/** Polling interval until the bonus has an outcome, in ms. */
const AGAIN_MS = 2_000;

/** Outcome of the bonus chosen with a received deposit; nothing without one. @param reference of its event */
export function BonusOutcome({ reference }: { reference: string }) {
  const { t } = useTranslation('deposit');
  const money = useMoney();
  const { data } = useQuery({
    ...apiQuery('GET /api/money/{key}', { params: { key: reference }, quiet: true }),
    staleTime: 0,
    // The reference of a bank transfer is the bank's, and names no item.
    retry: false,
    refetchInterval: ({ state }) => state.data?.bonus?.state === 'PENDING' && AGAIN_MS,
  });
  const bonus = data?.bonus;
  if (!bonus) return null;
  const { name, amount } = bonus;
  return (
    <div role="status" className="grid justify-items-center text-sm">
      {bonus.state === 'PENDING' && <p className="text-muted">{t('bonus.pending', { name })}</p>}
      {bonus.state === 'RECEIVED' && (
        <p className="font-medium text-jade">{t('bonus.received', { amount: money.format(amount ?? 0), name })}</p>
      )}
      {bonus.state === 'REFUSED' && (
        <>
          <p className="text-amber">{t('bonus.refused', { name })}</p>
          <Button variant="plain" size="sm" onClick={() => void openMoney(reference)}>
            {t('bonus.why')}
          </Button>
        </>
      )}
    </div>
  );
}
