import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMoney } from '../../api/use-money.ts';
import type { TransferInput } from '../../api/use-transfer.ts';
import { AmountInput, readAmount } from '../../ui/amount-input.tsx';
import { Button } from '../../ui/button.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { SwapIcon } from '../../ui/icons/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { Select } from '../../ui/select.tsx';
import type { Account } from './accounts.ts';
import { type Fault, faultOf } from './fault.ts';

/** What has been chosen and typed so far. */
export type TransferDraft = { from: string; to: string; amount: string };

export type TransferFormProps = {
  accounts: readonly Account[];
  draft: TransferDraft;
  onChange: (draft: TransferDraft) => void;
  isSending: boolean;
  onSend: (input: TransferInput) => void;
};

/** From where, to where, how much. */
export function TransferForm({ accounts, draft, onChange, isSending, onSend }: TransferFormProps) {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  const [fault, setFault] = useState<Fault>();
  const source = accounts.find(({ code }) => code === draft.from);
  const options = accounts.map(({ code, name, amount }) => ({
    value: code,
    label: t('option', { name, amount: money.words(amount) }),
  }));
  const change = (part: Partial<TransferDraft>): void => {
    setFault(undefined);
    onChange({ ...draft, ...part });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSending) return;
    const input = { from: draft.from, to: draft.to, amount: readAmount(draft.amount) };
    const found = faultOf(input, accounts);
    setFault(found);
    if (!found) onSend(input);
  };
  const accountError = fault && fault.kind !== 'minimumAmount' ? t(fault.kind, { name: fault.name }) : undefined;
  return (
    <form onSubmit={submit} noValidate className="grid gap-3">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3">
        <Select
          label={t('from')}
          placeholder={t('choose')}
          options={options}
          value={draft.from}
          onChange={(event) => change({ from: event.target.value })}
        />
        <IconButton
          label={t('swap')}
          onClick={() => change({ from: draft.to, to: draft.from })}
          className="row-span-2 bg-raised text-gold ring-1 ring-edge/60 ring-inset"
        >
          <SwapIcon />
        </IconButton>
        <Select
          label={t('to')}
          placeholder={t('choose')}
          options={options}
          value={draft.to}
          error={accountError}
          onChange={(event) => change({ to: event.target.value })}
        />
      </div>
      <AmountInput
        label={t('amount')}
        value={draft.amount}
        onChange={(amount) => change({ amount })}
        {...money.field}
        hint={source && t('available', { amount: money.words(source.amount) })}
        error={
          fault?.kind === 'minimumAmount' ? t('minimumAmount', { minimum: money.limit(TRANSFER_MINIMUM) }) : undefined
        }
        all={source && { label: t('all'), amount: source.amount }}
      />
      <ModalActions>
        <Button type="submit" wide busy={isSending && t('submitting')}>
          {t('submit')}
        </Button>
      </ModalActions>
    </form>
  );
}
