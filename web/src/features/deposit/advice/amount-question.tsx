import type { Currency } from '@krapao/contract/money';
import { type SubmitEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiFailure } from '../../../api/errors.ts';
import { formatNumber } from '../../../format/number.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { AskSupport } from '../../../shared/ask-support.tsx';
import { AmountInput } from '../../../ui/amount-input.tsx';
import { Button } from '../../../ui/core/button.tsx';
import { useOnline } from '../../../ui/core/offline-banner.tsx';
import { useChosenBonus } from '../bonus/bonus-choice.tsx';
import { BonusField } from '../bonus/bonus-field.tsx';
import type { DepositMethod } from '../methods.ts';
import { useQrCreation } from '../qrcode/use-qr-deposit.ts';
import { AdviceCard, CardSkeleton } from './advice-card.tsx';
import type { Advice } from './use-advice.ts';

/** Amounts to set with one press. */
const AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [100, 300, 500, 1_000],
  LAK: [20_000, 50_000, 100_000, 500_000],
};

export type AmountQuestionProps = {
  methods: readonly DepositMethod[];
  advice: Advice;
  /** Whether it replaces the form of a method; then it gets the focus. */
  takesFocus: boolean;
  /** Opens a recommended method with the amount. */
  onChoose: (id: string) => void;
  /** Moves the focus to the list. */
  onOtherWays: () => void;
};

/** Asks for the amount and recommends one method with its reason. */
export function AmountQuestion({ methods, advice, takesFocus, onChoose, onOtherWays }: AmountQuestionProps) {
  const { t } = useTranslation('deposit');
  const money = useCurrency();
  const isOnline = useOnline();
  const chosenBonus = useChosenBonus();
  const [refusal, setRefusal] = useState<ApiFailure>();
  const { typed, setTyped, amount, recommendation, method } = advice;
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    if (takesFocus) form.current?.focus();
  }, [takesFocus]);
  const idOf = (bankCode: string): string | undefined =>
    methods.find((one) => one.kind === 'qr' && one.account.bankCode === bankCode)?.id;
  const open = (bankCode: string): void => {
    const id = idOf(bankCode);
    if (id !== undefined) onChoose(id);
  };
  const { create, isCreating } = useQrCreation({
    onReply: ({ bankCode }, qr) => qr.hasQrcode && open(bankCode),
    // Offers the next method. A QR code of that method is a new command.
    onRefused: ({ bankCode }, failure) => {
      advice.skip(idOf(bankCode) ?? '');
      setRefusal(failure);
    },
    onFailure: ({ bankCode }, failure) => isOpenCode(failure) && open(bankCode),
  });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (!method || amount === undefined || isCreating || !isOnline) return;
    if (method.kind === 'qr')
      create({ bankCode: method.account.bankCode, amount, ...chosenBonus(amount, money.currency) });
    else onChoose(method.id);
  };
  return (
    <form
      ref={form}
      tabIndex={-1}
      data-question
      onSubmit={submit}
      noValidate
      className="mb-4 grid gap-2 border-b border-line pb-3 outline-none"
    >
      <AmountInput
        label={t('advice.howMuch')}
        value={typed}
        onChange={setTyped}
        readOnly={isCreating}
        {...money.bankAmountField}
      />
      <AmountChips amount={amount} onChoose={(chosen) => setTyped(String(chosen))} isDisabled={isCreating} />
      <BonusField amount={amount} isDisabled={isCreating} />
      {recommendation ? (
        <AdviceCard
          advice={recommendation}
          method={method}
          usual={method && advice.usualOf(method)}
          methods={methods}
          amount={amount}
          failed={advice.failed}
          isCreating={isCreating}
          isOnline={isOnline}
          onUse={(use) => setTyped(String(use))}
        />
      ) : (
        <CardSkeleton />
      )}
      {refusal && <AskSupport kind="qr" failure={refusal} className="mt-0! justify-self-center" />}
      <Button
        variant="plain"
        size="sm"
        className="justify-self-center"
        disabled={!recommendation}
        onClick={onOtherWays}
      >
        {t('advice.more')}
      </Button>
    </form>
  );
}

/** A code of this gateway exists: it is shown instead. */
const isOpenCode = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.detail === 'QR_LIVE' || failure.detail === 'QR_PAID');

type AmountChipsProps = { amount: number | undefined; onChoose: (amount: number) => void; isDisabled: boolean };

function AmountChips({ amount, onChoose, isDisabled }: AmountChipsProps) {
  const { t } = useTranslation('deposit');
  const { currency } = useCurrency();
  return (
    <fieldset
      aria-label={t('advice.amounts')}
      className={`min-w-0 grid gap-2 ${currency === 'LAK' ? 'grid-cols-[repeat(auto-fit,minmax(6rem,1fr))]' : 'grid-cols-[repeat(auto-fit,minmax(3.4rem,1fr))]'}`}
    >
      {AMOUNTS[currency].map((choice) => (
        <button
          key={choice}
          type="button"
          disabled={isDisabled}
          aria-pressed={amount === choice}
          onClick={() => onChoose(choice)}
          className="amount min-h-11 rounded-md bg-raised font-semibold text-ivory ring-1 ring-edge/50 transition-colors ring-inset hover:bg-line aria-pressed:bg-gold aria-pressed:text-well"
        >
          {formatNumber(choice, 0)}
        </button>
      ))}
    </fieldset>
  );
}
