import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCreditText } from '../../member/credit-text.ts';
import { useMoney } from '../../member/money.ts';
import type { TransferInput } from '../../shared/transfer.ts';
import { WALLET } from '../../member/wallet.ts';
import { readAmount } from '../../format/typed-amount.ts';
import { AmountInput } from '../../ui/amount-input.tsx';
import { Button } from '../../ui/core/button.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { SwapIcon } from '../../ui/data/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { type Account, type TransferError, validateTransfer, exceedsBalance } from './validate-transfer.ts';
import { Field, inputClass } from '../../ui/core/field.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';

/** Input of the form so far. */
export type TransferDraft = { from: string; to: string; amount: string };

export type TransferFormProps = {
  accounts: readonly Account[];
  draft: TransferDraft;
  onChange: (draft: TransferDraft) => void;
  isSending: boolean;
  onSend: (input: TransferInput) => void;
};

export function TransferForm({ accounts, draft, onChange, isSending, onSend }: TransferFormProps) {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  const [fault, setFault] = useState<TransferError>();
  const source = accounts.find(({ code }) => code === draft.from);
  const destination = accounts.find(({ code }) => code === draft.to);
  const amount = readAmount(draft.amount, money.field);
  const change = (part: Partial<TransferDraft>): void => {
    setFault(undefined);
    onChange({ ...draft, ...part });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSending) return;
    attempt({ from: draft.from, to: draft.to, amount });
  };
  const attempt = (input: TransferInput): void => {
    const found = validateTransfer(input, accounts);
    setFault(found);
    if (!found) onSend(input);
  };
  // The source balance already excludes an amount in flight: no error while sending.
  const { accountError, amountError } = useErrors(
    fault,
    isSending ? undefined : source,
    draft.amount === '' ? undefined : amount,
  );
  const hint = useHint([source, destination], amount);
  return (
    <form onSubmit={submit} noValidate className="grid gap-3">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 narrow:grid-cols-[minmax(0,1fr)]">
        <AccountSelect label={t('from')} accounts={accounts} value={draft.from} onChange={(from) => change({ from })} />
        <IconButton
          label={t('swap')}
          onClick={() => change({ from: draft.to, to: draft.from })}
          className="row-span-2 bg-raised text-gold ring-1 ring-edge/60 ring-inset"
        >
          <SwapIcon />
        </IconButton>
        <AccountSelect
          label={t('to')}
          accounts={accounts.filter((account) => !account.isHidden)}
          value={draft.to}
          error={accountError}
          onChange={(to) => change({ to })}
        />
      </div>
      <AmountInput
        label={t('amount')}
        value={draft.amount}
        onChange={(typed) => change({ amount: typed })}
        {...money.field}
        hint={hint}
        error={amountError}
        all={source && { label: t('all'), amount: source.amount }}
      />
      <ModalActions>
        <Button type="submit" wide busy={isSending && t('submitting')}>
          {t('submit')}
        </Button>
        {source?.code === WALLET && (
          <Button
            variant="quiet"
            wide
            disabled={isSending}
            onClick={() => attempt({ from: WALLET, to: draft.to, amount: source.amount, isAll: true })}
          >
            {destination && destination.code !== WALLET
              ? t('transferAllTo', { name: destination.name })
              : t('transferAll')}
          </Button>
        )}
      </ModalActions>
    </form>
  );
}

/** Available amount, and the amount in credits for games that use them. */
function useHint([source, destination]: readonly [Account | undefined, Account | undefined], amount: number): string {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  const creditWords = useCreditText();
  const games = source === destination ? [source] : [source, destination];
  const creditLines = games.map((account) => {
    const words = account && creditWords(account, amount);
    return words && t('creditsIn', { name: account.name, credits: words });
  });
  return [source && t('available', { amount: money.text(source.amount) }), ...creditLines].filter(Boolean).join('\n');
}

/** Errors by field. Amount limits are checked while typing. @param amount undefined for an empty field */
function useErrors(fault: TransferError | undefined, source: Account | undefined, amount: number | undefined) {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  if (source && amount !== undefined && exceedsBalance(amount, source))
    return { amountError: t('notEnough', { name: source.name, amount: money.text(source.amount) }) };
  const isTooSmall = amount === undefined ? fault?.kind === 'minimumAmount' : amount < TRANSFER_MINIMUM;
  const amountError = isTooSmall ? t('minimumAmount', { minimum: money.text(TRANSFER_MINIMUM) }) : undefined;
  if (!fault || fault.kind === 'notEnough' || fault.kind === 'minimumAmount') return { amountError };
  return { accountError: t(fault.kind, { name: fault.name }), amountError };
}

export type AccountSelectProps = {
  label: string;
  accounts: readonly Account[];
  /** Code of the chosen account, or ''. */
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
};

/**
 * Account choice by a native select. The choice is displayed above it in two lines, name and amount: one line would be
 * cut off on a narrow phone.
 */
export function AccountSelect({ label, accounts, value, onChange, error }: AccountSelectProps) {
  const { t } = useTranslation('transfer');
  const money = useMoney();
  const chosen = accounts.find(({ code }) => code === value);
  return (
    <Field label={label} error={error}>
      {(input) => (
        <div className="relative">
          <div
            aria-hidden="true"
            data-invalid={error ? true : undefined}
            className={`${inputClass} flex min-h-[4.25rem] flex-col justify-center pr-12 narrow:pr-8 data-invalid:border-coral`}
          >
            {chosen ? (
              <>
                <span className="leading-normal font-semibold">{chosen.name}</span>
                <span className="amount text-sm text-muted narrow:text-xs">{money.text(chosen.amount)}</span>
              </>
            ) : (
              <span className="text-faint">{t('choose')}</span>
            )}
          </div>
          <ChevronDownIcon className="pointer-events-none absolute top-[1.375rem] right-3 size-6 text-faint" />
          <select
            {...input}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={`${inputClass} peer absolute inset-0 h-full appearance-none opacity-0`}
          >
            <option value="">{t('choose')}</option>
            {accounts.map(({ code, name, amount }) => (
              <option key={code} value={code}>
                {t('option', { name, amount: money.text(amount) })}
              </option>
            ))}
          </select>
          <span className="pointer-events-none absolute inset-0 rounded-md outline-offset-0 outline-gold peer-focus-visible:outline-2" />
        </div>
      )}
    </Field>
  );
}
