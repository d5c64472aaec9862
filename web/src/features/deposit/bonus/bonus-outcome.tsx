import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { call } from '../../../api/call.ts';
import { ApiFailure } from '../../../api/errors.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { openMoney } from '../../../shared/open-money.ts';
import { Button } from '../../../ui/core/button.tsx';

/** Polling interval until the bonus has an outcome, in ms. */
const AGAIN_MS = 2_000;

/** The money item of a deposit's event. A bank's reference names no item: its row in the statement does. */
async function depositItem(reference: string) {
  try {
    return await call('GET /api/money/{key}', { params: { key: reference }, quiet: true });
  } catch (failure) {
    if (!(failure instanceof ApiFailure) || failure.message !== 'NO_DATA') throw failure;
    const { statements } = await call('POST /api/statement', { body: { page: 1, limit: 10 }, quiet: true });
    const row = statements.find((entry) => entry.statementType === 'deposit' && entry.reference === reference);
    return row ? call('GET /api/money/{key}', { params: { key: `line-${row._id}` }, quiet: true }) : null;
  }
}

/** Outcome of the bonus chosen with a received deposit; nothing without one. @param reference of its event, or of a slip */
export function BonusOutcome({ reference }: { reference: string }) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const { data } = useQuery({
    queryKey: ['money', 'deposit', reference],
    queryFn: () => depositItem(reference),
    staleTime: 0,
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
          <Button variant="plain" size="sm" onClick={() => void openMoney(data.key)}>
            {t('bonus.why')}
          </Button>
        </>
      )}
    </div>
  );
}
