import { useTranslation } from 'react-i18next';
import { useCurrency } from '../../member/use-currency.ts';
import { AskSupport } from '../../shared/ask-support.tsx';
import { movedAmount, transferRefusalText, type TransferState, usePendingTransfer } from '../../shared/transfer.ts';
import { UndecidedPopup } from '../../shared/undecided-popup.tsx';
import { Amount } from '../../ui/amount.tsx';
import { Popup } from '../../ui/popup.tsx';
import type { Account } from './validate-transfer.ts';

type EndedTransferState = Extract<TransferState, { status: 'done' | 'failed' | 'undecided' }>;

export type TransferOutcomeProps = {
  state: EndedTransferState;
  /** Accounts as loaded after the outcome. */
  accounts: readonly Account[];
  onClose: () => void;
  /** Repeats the same command. */
  onRetry?: () => void;
};

/** Result of a transfer, and where the money is. */
export function TransferOutcome({ state, accounts, onClose, onRetry }: TransferOutcomeProps) {
  const { t } = useTranslation('transfer');
  const money = useCurrency();
  const { from, to } = state.input;
  const nameOf = (code: string): string => accounts.find((account) => account.code === code)?.name ?? code;
  const involvedAccounts = accounts.filter(({ code }) => code === from || code === to);
  const pendingReference = usePendingTransfer(state.input);
  if (state.status === 'undecided')
    return (
      <UndecidedPopup
        kind="transfer"
        failure={state.failure}
        reference={pendingReference}
        onClose={onClose}
        onRetry={onRetry}
      />
    );
  const isDone = state.status === 'done';
  return (
    <Popup
      open
      tone={isDone ? 'success' : 'danger'}
      title={t(isDone ? 'successTitle' : 'failureTitle')}
      onClose={onClose}
      message={
        <>
          <p>
            {state.status === 'done'
              ? t('success', { amount: money.format(movedAmount(state)), from: nameOf(from), to: nameOf(to) })
              : transferRefusalText(state.failure, state.input, nameOf(from))}
          </p>
          <dl aria-label={t('nowIn')} className="mt-3 grid gap-1 rounded-md bg-raised px-4 py-2 text-sm">
            {involvedAccounts.map((account) => (
              <div key={account.code} className="flex justify-between gap-3">
                <dt className="text-muted">{account.name}</dt>
                <dd className="font-semibold">
                  <Amount value={account.amount} currency={money.currency} withSign />
                </dd>
              </div>
            ))}
          </dl>
          {state.status === 'failed' && <AskSupport kind="transfer" failure={state.failure} />}
        </>
      }
    />
  );
}
