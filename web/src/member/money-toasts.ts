import { useEffect, useRef } from 'react';
import type { MemberEvent } from '@krapao/contract/events';
import { useTranslation } from 'react-i18next';
import { onMemberEvent } from '../api/query/member-events.ts';
import { toast } from '../ui/core/toast.tsx';
import { endedWithdrawal, withdrawReasonText } from './withdrawal.ts';
import { useMoney } from './money.ts';
import { useWallet } from './wallet.ts';

type Kind = MemberEvent['kind'];

const shown = new Set<readonly Kind[]>();

/**
 * While mounted, marks outcomes of these kinds as shown by a dialog, so that no toast repeats them.
 * @param kinds the same array at each render
 */
export function useShownOutcomes(kinds: readonly Kind[]): void {
  useEffect(() => {
    shown.add(kinds);
    return () => void shown.delete(kinds);
  }, [kinds]);
}

/** Whether an open dialog shows outcomes of a kind. */
export const isOutcomeShown = (kind: Kind): boolean => [...shown].some((kinds) => kinds.includes(kind));

/**
 * Shows a toast for each outcome of a deposit, transfer or withdrawal, on every member page, unless an open dialog shows
 * it. Loads the wallet, without which the page would not receive the member's events.
 */
export function MoneyToasts(): null {
  const { t } = useTranslation('parts');
  const { text } = useMoney();
  const { data } = useWallet();
  const pendingTransfers = useRef(new Set<string>());
  useEffect(() => {
    for (const { inProgress } of data?.slots ?? []) if (inProgress) pendingTransfers.current.add(inProgress);
  }, [data]);
  useEffect(() => {
    const showWithdrawal = async ({ reference, state }: MemberEvent): Promise<void> => {
      const ended = await endedWithdrawal(reference);
      if (state === 'SUCCESS')
        toast.success(
          ended ? t('moneyNews.withdrawPaid', { amount: text(ended.amount) }) : t('moneyNews.withdrawDone'),
        );
      else toast.danger(t('moneyNews.withdrawFailed', { reason: withdrawReasonText(ended?.reason ?? null) }));
    };
    return onMemberEvent((event) => {
      const { kind, state, reference } = event;
      if (state === 'PROCESSING') return;
      // The reply to a transfer that was never pending has shown its outcome.
      const isUnseen = kind !== 'transfer' || pendingTransfers.current.delete(reference);
      if (!isUnseen || isOutcomeShown(kind)) return;
      if (kind === 'withdraw') void showWithdrawal(event);
      else if (kind === 'deposit' && state === 'SUCCESS')
        toast.success(t('moneyNews.moneyIn', { amount: text(event.amount) }));
      else if (kind === 'transfer' && state === 'SUCCESS') toast.success(t('moneyNews.transferDone'));
      else if (kind === 'transfer') toast.danger(t('moneyNews.transferFailed'));
    });
  }, [t, text]);
  return null;
}
