import type { MemberEvent } from '@krapao/contract/events';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { onMemberEvent } from '../../api/member-events.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { endedWithdrawal, withdrawReasonText } from '../../shared/withdraw/withdraw-outcome.ts';
import { toast } from '../../ui/overlay/toast-store.ts';

/** What a dialog that is open tells by itself. */
export type ToldElsewhere = { deposits: boolean; transfers: boolean; withdrawals: boolean };

/** Says what has happened to the member's money while nothing else on the page does. */
export function useMoneyNews({ deposits, transfers, withdrawals }: ToldElsewhere): void {
  const { t } = useTranslation('home');
  const { text } = useMoney();
  const { data } = useWallet();
  const underWay = useRef(new Set<string>());
  useEffect(() => {
    for (const { inProgress } of data?.slots ?? []) if (inProgress) underWay.current.add(inProgress);
  }, [data]);
  useEffect(() => {
    const tellWithdrawal = async ({ reference, state }: MemberEvent): Promise<void> => {
      const ended = await endedWithdrawal(reference);
      if (state === 'SUCCESS')
        toast.success(ended ? t('withdrawPaid', { amount: text(ended.amount) }) : t('withdrawDone'));
      else toast.danger(t('withdrawFailed', { reason: withdrawReasonText(ended?.reason ?? null) }));
    };
    return onMemberEvent((event) => {
      if (event.state === 'PROCESSING') return;
      if (event.kind === 'withdraw') return void (withdrawals || tellWithdrawal(event));
      if (event.kind === 'deposit' && event.state === 'SUCCESS' && !deposits)
        toast.success(t('moneyIn', { amount: text(event.amount) }));
      // A command that was answered at once has been announced by its answer.
      if (event.kind !== 'transfer' || !underWay.current.delete(event.reference) || transfers) return;
      if (event.state === 'SUCCESS') toast.success(t('transferDone'));
      else toast.danger(t('transferFailed'));
    });
  }, [t, text, deposits, transfers, withdrawals]);
}
