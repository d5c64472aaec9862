import type { MemberEvent } from '@krapao/contract/events';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { onMemberEvent } from '../api/query/member-events.ts';
import { sessionMark } from '../api/session.ts';
import { isOutcomeShown } from '../member/shown-outcomes.ts';
import { useCurrency } from '../member/use-currency.ts';
import { useWallet } from '../member/wallet.ts';
import { endedWithdrawal, withdrawReasonText } from '../member/withdrawal.ts';
import { memberMoneyText } from '../shared/balance-display.tsx';
import { isForToast, markAnnounced } from '../shared/open-items.ts';
import { toast } from '../ui/core/toast.tsx';

/**
 * Shows a toast for each outcome of a deposit, its bonus, a transfer or a withdrawal, unless an open dialog or the strip
 * of open items shows it. Loads the wallet because loading it subscribes to the member's events.
 */
export function MoneyToasts(): null {
  const { t } = useTranslation('money');
  const { format } = useCurrency();
  const { data } = useWallet();
  const pendingTransfers = useRef(new Set<string>());
  useEffect(() => {
    for (const { inProgress } of data?.slots ?? []) if (inProgress) pendingTransfers.current.add(inProgress);
  }, [data]);
  useEffect(() => {
    const showWithdrawal = async ({ reference, state }: MemberEvent): Promise<void> => {
      const session = sessionMark();
      const withdrawal = await endedWithdrawal(reference);
      if (sessionMark() !== session) return;
      if (state === 'SUCCESS')
        toast.success(
          withdrawal
            ? t('moneyNews.withdrawPaid', { amount: memberMoneyText(format(withdrawal.amount)) })
            : t('moneyNews.withdrawDone'),
        );
      else toast.danger(t('moneyNews.withdrawFailed', { reason: withdrawReasonText(withdrawal?.reason ?? null) }));
    };
    const showBonus = async ({ reference }: MemberEvent): Promise<void> => {
      const session = sessionMark();
      const item = await call('GET /api/money/{key}', { params: { key: reference }, quiet: true });
      // Other grants are claimed in a dialog. With a reason, the event is about the end of the bonus.
      if (item.from !== 'BONUS' || item.reason !== null || item.requested === null || isOutcomeShown('bonus')) return;
      if (sessionMark() !== session) return;
      toast.success(t('moneyNews.bonus', { amount: memberMoneyText(format(item.requested)) }));
    };
    const show = async (event: MemberEvent): Promise<void> => {
      const { kind, state, amount } = event;
      const session = sessionMark();
      if (kind === 'bonus') return showBonus(event);
      if (!(await isForToast(event)) || sessionMark() !== session) return;
      if (kind === 'withdraw') return showWithdrawal(event);
      if (kind === 'deposit' && state === 'SUCCESS')
        toast.success(t('moneyNews.moneyIn', { amount: memberMoneyText(format(amount)) }));
      else if (kind === 'transfer' && state === 'SUCCESS') toast.success(t('moneyNews.transferDone'));
      else if (kind === 'transfer') toast.danger(t('moneyNews.transferFailed'));
    };
    return onMemberEvent((event) => {
      const { kind, state, reference } = event;
      if (state === 'PROCESSING') return;
      // A transfer that was never pending got its outcome with the reply, so the outcome was already shown.
      const isNewOutcome = kind !== 'transfer' || pendingTransfers.current.delete(reference);
      if (!isNewOutcome) return;
      if (isOutcomeShown(kind)) markAnnounced(reference);
      else void show(event).catch(() => undefined);
    });
  }, [t, format]);
  return null;
}
