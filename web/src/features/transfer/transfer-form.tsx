import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { type SubmitEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { readAmount } from '../../format/typed-amount.ts';
import { useCreditText } from '../../member/credit-text.ts';
import { useCurrency } from '../../member/use-currency.ts';
import { WALLET } from '../../member/wallet.ts';
import type { TransferInput } from '../../shared/transfer.ts';
import { AmountInput, quickAmountsWithin } from '../../ui/amount-input.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Field, inputClass } from '../../ui/core/field.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { ChevronDownIcon } from '../../ui/core/icons.tsx';
import { SwapIcon } from '../../ui/data/member-icons.tsx';
import { ModalActions } from '../../ui/modal.tsx';
import { type Account, type TransferError, validateTransfer, exceedsBalance } from './validate-transfer.ts';

/** Current input of the form. */
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
  const money = useCurrency();
  const [transferError, setTransferError] = useState<TransferError>();
  // While sending, the source's balance already excludes the sent amount.
  const [amountAtSend, setAmountAtSend] = useState(0);
  const source = accounts.find(({ code }) => code === draft.from);
  const destination = accounts.find(({ code }) => code === draft.to);
  const amount = readAmount(draft.amount, money.amountField);
  const changeDraft = (changes: Partial<TransferDraft>): void => {
    setTransferError(undefined);
    onChange({ ...draft, ...changes });
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isSending) return;
    validateAndSend({ from: draft.from, to: draft.to, amount });
  };
  const validateAndSend = (input: TransferInput): void => {
    const firstError = validateTransfer(input, accounts);
    setTransferError(firstError);
    if (firstError) return;
    setAmountAtSend(source?.amount ?? 0);
    onSend(input);
  };
  // No error about the source while sending, because its balance already excludes the sent amount.
  const { accountError, amountError } = useFieldErrors(
    transferError,
    isSending ? undefined : source,
    draft.amount === '' ? undefined : amount,
  );
  const hint = useAmountHint([source, destination], amount);
  return (
    <form onSubmit={submit} noValidate className="low-columns grid gap-3 low:grid-cols-2 low:gap-x-6">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-3 gap-y-2 narrow:grid-cols-[minmax(0,1fr)]">
        <AccountSelect
          label={t('from')}
          accounts={accounts}
          value={draft.from}
          onChange={(from) => changeDraft({ from })}
        />
        <IconButton
          label={t('swap')}
          onClick={() => changeDraft({ from: draft.to, to: draft.from })}
          className="row-span-2 bg-raised text-gold ring-1 ring-edge/60 ring-inset"
        >
          <SwapIcon />
        </IconButton>
        <AccountSelect
          label={t('to')}
          accounts={accounts.filter((account) => !account.isHidden)}
          value={draft.to}
          error={accountError}
          onChange={(to) => changeDraft({ to })}
        />
      </div>
      <AmountInput
        label={t('amount')}
        value={draft.amount}
        onChange={(typedAmount) => changeDraft({ amount: typedAmount })}
        {...money.amountField}
        hint={hint}
        error={amountError}
        allButton={source && { label: t('all'), amount: source.amount }}
        quickAmounts={
          source && quickAmountsWithin(money.currency, { maximum: isSending ? amountAtSend : source.amount })
        }
      />
      {/* A press beside the main button would move the whole wallet. */}
      <ModalActions
        direction="column"
        className="gap-4! low:col-span-2 low:flex-row low:items-center low:*:w-auto low:*:grow"
      >
        <Button type="submit" variant="primary" wide busy={isSending && t('submitting')}>
          {t('submit')}
        </Button>
        {source?.code === WALLET && (
          <Button
            variant="quiet"
            wide
            disabled={isSending}
            onClick={() => validateAndSend({ from: WALLET, to: draft.to, amount: source.amount, isAll: true })}
          >
            {destination && destination.code !== WALLET
              ? t('transferAllTo', { name: destination.name, amount: money.format(source.amount) })
              : t('transferAll')}
          </Button>
        )}
      </ModalActions>
    </form>
  );
}

/** Hint below the amount: the available amount, and the amount in credits for games that use credits. */
function useAmountHint(
  [source, destination]: readonly [Account | undefined, Account | undefined],
  amount: number,
): string {
  const { t } = useTranslation('transfer');
  const money = useCurrency();
  const creditTextOf = useCreditText();
  const games = source === destination ? [source] : [source, destination];
  const creditTexts = games.map((account) => {
    const creditText = account && creditTextOf(account, amount);
    return creditText && t('creditsIn', { name: account.name, credits: creditText });
  });
  return [source && t('available', { amount: money.format(source.amount) }), ...creditTexts].filter(Boolean).join('\n');
}

/** Error texts by field. Amount limits are checked while typing. @param amount undefined for an empty field */
function useFieldErrors(
  transferError: TransferError | undefined,
  source: Account | undefined,
  amount: number | undefined,
) {
  const { t } = useTranslation('transfer');
  const money = useCurrency();
  if (source && amount !== undefined && exceedsBalance(amount, source))
    return { amountError: t('notEnough', { name: source.name, amount: money.format(source.amount) }) };
  const isTooSmall = amount === undefined ? transferError?.kind === 'minimumAmount' : amount < TRANSFER_MINIMUM;
  const amountError = isTooSmall ? t('minimumAmount', { minimum: money.format(TRANSFER_MINIMUM) }) : undefined;
  if (!transferError || transferError.kind === 'notEnough' || transferError.kind === 'minimumAmount')
    return { amountError };
  return { accountError: t(transferError.kind, { name: transferError.name }), amountError };
}

export type AccountSelectProps = {
  label: string;
  accounts: readonly Account[];
  /** Code of the selected account; '' if none. */
  value: string;
  onChange: (code: string) => void;
  error?: string | undefined;
};

/**
 * Native select for an account. The selected account is displayed above the select in two lines, name and amount. A
 * single line would be cut off on a narrow phone.
 */
export function AccountSelect({ label, accounts, value, onChange, error }: AccountSelectProps) {
  const { t } = useTranslation('transfer');
  const money = useCurrency();
  const selectedAccount = accounts.find(({ code }) => code === value);
  return (
    <Field label={label} error={error}>
      {(input) => (
        <div className="relative">
          <div
            aria-hidden="true"
            data-invalid={error ? true : undefined}
            className={`${inputClass} flex min-h-[4.25rem] flex-col justify-center pr-12 low:min-h-12 low:flex-row low:items-center low:justify-between low:gap-2 low:py-0 narrow:pr-8 data-invalid:border-coral`}
          >
            {selectedAccount ? (
              <>
                <span className="leading-normal font-semibold">{selectedAccount.name}</span>
                <span className="amount text-sm text-muted narrow:text-xs">{money.format(selectedAccount.amount)}</span>
              </>
            ) : (
              <span className="text-faint">{t('choose')}</span>
            )}
          </div>
          <ChevronDownIcon className="pointer-events-none absolute top-[1.375rem] right-3 low:top-3 size-6 text-faint" />
          <select
            {...input}
            value={value}
            onChange={({ target }) => onChange(target.value)}
            className={`${inputClass} peer absolute inset-0 h-full appearance-none opacity-0`}
          >
            <option value="">{t('choose')}</option>
            {accounts.map(({ code, name, amount }) => (
              <option key={code} value={code}>
                {t('option', { name, amount: money.format(amount) })}
              </option>
            ))}
          </select>
          <span className="pointer-events-none absolute inset-0 rounded-md outline-offset-0 outline-gold peer-focus-visible:outline-2" />
        </div>
      )}
    </Field>
  );
}
