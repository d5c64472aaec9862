import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatNumber } from '../../format/number.ts';
import { formatTyped, isRefusedAmount, readAmount } from '../../format/typed-amount.ts';
import { useCreditText } from '../../member/credit-text.ts';
import { useCurrency } from '../../member/use-currency.ts';
import type { GameAccount } from '../../member/wallet.ts';
import { AmountInput } from '../../ui/amount-input.tsx';
import { Button } from '../../ui/core/button.tsx';
import type { TopUp, TopUpResult } from './use-play.ts';

/**
 * State of the amount field of a game. After "all" the amount is the whole wallet at the time of sending, until another
 * amount is typed.
 * @param freeAmount free amount of the wallet, in wire format
 * @param suggested amount until the member changes it; 0 for an empty field
 */
export function useTypedAmount(freeAmount: number, suggested: number) {
  const [ownText, setOwnText] = useState<string>();
  const [isAll, setAll] = useState(false);
  const typedText = ownText ?? (suggested > 0 ? formatTyped(suggested) : '');
  const { amountField } = useCurrency();
  const amount = isAll ? freeAmount : readAmount(typedText, amountField);
  const isTooSmall = !isAll && typedText !== '' && amount < TRANSFER_MINIMUM;
  const isRefused = !isAll && isRefusedAmount(typedText, amountField);
  const changeAmount = (text: string | undefined, isWholeWallet = false): void => {
    setOwnText(text);
    setAll(isWholeWallet);
  };
  return {
    value: isAll ? formatTyped(freeAmount) : typedText,
    isTooSmall,
    isTooMuch: amount > freeAmount,
    /** Amount to transfer; undefined if it is 0. */
    topUp: amount > 0 ? ({ amount, isAll } satisfies TopUp) : undefined,
    changeAmount,
    reset: () => changeAmount(undefined),
    /** Calls an action if the amount is valid or empty. Resets the field once the money was moved or is pending. */
    async send(action: (topUp: TopUp | undefined) => Promise<TopUpResult>): Promise<void> {
      const isInvalid = isRefused || (amount > 0 && amount < TRANSFER_MINIMUM);
      if (!isInvalid && (await action(amount > 0 ? { amount, isAll } : undefined)) !== 'not') changeAmount(undefined);
    },
  };
}

export type TypedAmount = ReturnType<typeof useTypedAmount>;

/** Quick amounts in wire format, offered if the game has no money. */
const QUICK_AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [50, 100, 500],
  LAK: [10_000, 50_000, 100_000],
};

/** The quick amounts that the wallet covers. */
function useQuickAmounts(freeAmount: number): readonly number[] {
  const { currency } = useCurrency();
  return QUICK_AMOUNTS[currency].filter((amount) => amount <= freeAmount);
}

export type TopUpFieldProps = {
  game: GameAccount;
  typedAmount: TypedAmount;
  freeAmount: number;
  disabled: boolean;
  /** Whether quick amounts are offered below. */
  withQuickAmounts: boolean;
};

/** Field for the amount to transfer into the game, with a button for the whole wallet. */
export function TopUpField({ game, typedAmount, freeAmount, disabled, withQuickAmounts }: TopUpFieldProps) {
  const { t } = useTranslation(['game', 'transfer']);
  const money = useCurrency();
  // Amount in credits; the exchange rate is displayed above.
  const credits = useCreditText()(game, typedAmount.topUp?.amount);
  const quickAmounts = useQuickAmounts(freeAmount);
  const tooSmallText =
    typedAmount.isTooSmall && t('transfer:minimumAmount', { minimum: money.format(TRANSFER_MINIMUM) });
  const tooMuchText = typedAmount.isTooMuch && !disabled && t('notEnough', { amount: money.format(freeAmount) });
  const areQuickAmountsShown = withQuickAmounts && game.amount <= 0 && !disabled && quickAmounts.length > 0;
  return (
    <AmountInput
      label={t('amount')}
      value={typedAmount.value}
      onChange={(text) => typedAmount.changeAmount(text)}
      {...money.amountField}
      disabled={disabled}
      hint={[t('inWallet', { amount: money.format(freeAmount) }), typedAmount.topUp && credits]
        .filter(Boolean)
        .join('\n')}
      {...(areQuickAmountsShown && { quickAmounts })}
      error={tooSmallText || tooMuchText || undefined}
      allButton={{ label: t('all'), amount: freeAmount, onPress: () => typedAmount.changeAmount('', true) }}
    />
  );
}

export type AmountQuestionProps = {
  freeAmount: number;
  busy: string | false;
  /** Plays with an amount, or with none. Called in a press handler. */
  onPlay: (topUp: TopUp | undefined) => void;
};

/** Asks in place which amount to bring into an empty game that a card opened. Each reply plays by one press. */
export function AmountQuestion({ freeAmount, busy, onPlay }: AmountQuestionProps) {
  const { t } = useTranslation('game');
  const money = useCurrency();
  const id = useId();
  const question = useRef<HTMLElement>(null);
  useEffect(() => {
    // Not a button: a second press of the key would move money.
    question.current?.focus({ preventScroll: true });
    question.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const quickAmounts = useQuickAmounts(freeAmount);
  const { unit } = money.amountField;
  return (
    <section
      ref={question}
      tabIndex={-1}
      aria-labelledby={id}
      className="grid scroll-mt-4 scroll-mb-28 gap-2 rounded-md bg-jade-deep p-4 ring-1 ring-jade/40"
    >
      <h3 id={id} className="font-semibold text-jade">
        {t('howMuch')}
      </h3>
      <p role="status" className="text-sm text-ivory">
        {t('howMuchText')}
      </p>
      <div className="grid grid-cols-3 gap-2 empty:hidden">
        {quickAmounts.map((amount) => (
          <Button
            key={amount}
            variant="primary"
            className="amount px-1!"
            aria-label={t('playWith', { amount: money.format(amount) })}
            aria-disabled={busy ? true : undefined}
            onClick={() => !busy && onPlay({ amount, isAll: false })}
          >
            {`${unit}${formatNumber(amount, 0)}`}
          </Button>
        ))}
      </div>
      <Button variant="primary" busy={busy} onClick={() => onPlay({ amount: freeAmount, isAll: true })}>
        {t('playWithAll', { amount: money.format(freeAmount) })}
      </Button>
      <Button
        variant="quiet"
        className="mt-2"
        aria-disabled={busy ? true : undefined}
        onClick={() => !busy && onPlay(undefined)}
      >
        {t('playWithout')}
      </Button>
    </section>
  );
}
