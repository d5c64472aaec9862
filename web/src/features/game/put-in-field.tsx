import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useCreditWords } from '../../shared/wallet/use-credit-words.ts';
import { useMoney } from '../../shared/wallet/use-money.ts';
import type { GameAccount } from '../../shared/wallet/use-wallet.ts';
import { asTyped, isRefusedAmount, readAmount } from '../../format/typed-amount.ts';
import { AmountInput } from '../../ui/form/amount-input.tsx';
import type { PutIn, PutInEnd } from './use-play.ts';

/**
 * What is typed to go into a game. Once "all" is pressed it is the whole wallet, however much that is when it is sent,
 * until something else is typed.
 * @param free what is free in the wallet, as on the wire
 */
export function useAmountTyped(free: number) {
  const [typed, setTyped] = useState('');
  const [isAll, setAll] = useState(false);
  const { field } = useMoney();
  const amount = isAll ? free : readAmount(typed, field);
  const isTooSmall = !isAll && typed !== '' && amount < TRANSFER_MINIMUM;
  const isRefused = !isAll && isRefusedAmount(typed, field);
  const change = (text: string, all = false): void => {
    setTyped(text);
    setAll(all);
  };
  return {
    value: isAll ? asTyped(free) : typed,
    isTooSmall,
    isTooMuch: amount > free,
    /** Undefined for nothing. */
    money: amount > 0 ? ({ amount, isAll } satisfies PutIn) : undefined,
    change,
    /** Runs an action unless the amount is one that can't be moved; forgets the amount once it is in, or on its way. */
    async send(action: (money: PutIn | undefined) => Promise<PutInEnd>): Promise<void> {
      const isFault = isRefused || (amount > 0 && amount < TRANSFER_MINIMUM);
      if (!isFault && (await action(amount > 0 ? { amount, isAll } : undefined)) !== 'not') change('');
    },
  };
}

/** Quick amounts of a game without money, in wire format. */
const QUICK_AMOUNTS: Readonly<Record<Currency, readonly number[]>> = {
  BAHT: [50, 100, 500],
  LAK: [10_000, 50_000, 100_000],
};

export type PutInFieldProps = {
  game: GameAccount;
  typed: ReturnType<typeof useAmountTyped>;
  free: number;
  disabled: boolean;
};

/** How much goes into the game, with the whole wallet one press away. */
export function PutInField({ game, typed, free, disabled }: PutInFieldProps) {
  const { t } = useTranslation(['game', 'transfer']);
  const money = useMoney();
  // The rate itself stands above: here only what the amount becomes.
  const credits = useCreditWords()(game, typed.money?.amount);
  const tooSmall = typed.isTooSmall && t('transfer:minimumAmount', { minimum: money.text(TRANSFER_MINIMUM) });
  const tooMuch = typed.isTooMuch && !disabled && t('notEnough', { amount: money.text(free) });
  const quickAmounts = QUICK_AMOUNTS[money.currency].filter((amount) => amount <= free);
  const isOffered = game.amount <= 0 && !disabled && quickAmounts.length > 0;
  return (
    <AmountInput
      label={t('amount')}
      value={typed.value}
      onChange={(text) => typed.change(text)}
      {...money.field}
      disabled={disabled}
      hint={[t('inWallet', { amount: money.text(free) }), typed.money && credits].filter(Boolean).join('\n')}
      {...(isOffered && { quickAmounts })}
      error={tooSmall || tooMuch || undefined}
      all={{ label: t('all'), amount: free, onPress: () => typed.change('', true) }}
    />
  );
}
