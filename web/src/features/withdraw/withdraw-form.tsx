import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../shared/wallet/use-money.ts';
import { readAmount } from '../../format/typed-amount.ts';
import { AmountInput } from '../../ui/form/amount-input.tsx';
import { Button } from '../../ui/button.tsx';
import { ModalActions } from '../../ui/overlay/modal.tsx';
import { type BankAccount, Destination } from './destination.tsx';
import type { FullBalance } from './full-balance.ts';
import { type WithdrawFault, faultOf, type Limits } from './fault.ts';
import { WithdrawNotice } from './withdraw-notice.tsx';
import { useConditions } from './use-conditions.ts';

export type WithdrawFormProps = {
  account: BankAccount;
  limits: Limits;
  fullBalance: FullBalance;
  /** What was typed, without separators. */
  typed: string;
  onType: (typed: string) => void;
  isSending: boolean;
  onSend: (amount: number) => void;
};

/** How much, to which account, and under which conditions. */
export function WithdrawForm({ account, limits, fullBalance, typed, onType, isSending, onSend }: WithdrawFormProps) {
  const { t } = useTranslation('withdraw');
  const money = useMoney();
  const isHeldBack = useConditions().conditions.length > 0;
  const [fault, setFault] = useState<WithdrawFault>();
  // Money that games send home is in neither figure for a moment: until the answer, they stay as they were when it was asked.
  const [asked, setAsked] = useState(fullBalance);
  const reach = isSending ? asked : fullBalance;
  const amount = readAmount(typed, money.bankField);
  const shown = typed === '' ? fault : faultOf(amount, limits, reach);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSending) return;
    const found = faultOf(amount, limits, fullBalance);
    setFault(found);
    if (found) return;
    setAsked(fullBalance);
    onSend(amount);
  };
  return (
    <form onSubmit={submit} noValidate className="grid gap-4">
      <AmountInput
        label={t('amount')}
        value={typed}
        onChange={(next) => {
          setFault(undefined);
          onType(next);
        }}
        {...money.bankField}
        hint={t('limits', { minimum: money.text(limits.withdrawMin), maximum: money.text(limits.withdrawMax) })}
        error={shown && t(shown.kind, { amount: money.text(shown.amount) })}
        all={{ label: t('all'), amount: Math.min(reach.total, limits.withdrawMax) }}
      />
      <div className="-mt-2 grid gap-1 text-sm">
        {isHeldBack ? (
          <p className="font-semibold text-amber">{t('notYet')}</p>
        ) : (
          <p className="font-semibold text-gold-lit">{t('available', { amount: money.text(reach.total) })}</p>
        )}
        {reach.inGames > 0 && (
          <p className="text-muted">{t('sweepsToWallet', { amount: money.text(reach.inGames) })}</p>
        )}
      </div>
      <Destination account={account} />
      <WithdrawNotice />
      <ModalActions>
        <Button type="submit" variant="gold" wide busy={isSending && t('submitting')}>
          {t('submit')}
        </Button>
      </ModalActions>
    </form>
  );
}
