import { bonusAmount, requiredAmounts } from '@krapao/contract/bonus-terms';
import { type Currency, minor, parseAmount, toWire, ZERO } from '@krapao/contract/money';
import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { ApiFailure } from '../../../api/errors.ts';
import { onMemberEvent } from '../../../api/query/member-events.ts';
import { apiQuery, invalidate } from '../../../api/query/query.ts';
import type { Reply } from '../../../api/types.ts';
import { i18n } from '../../../i18n/i18n.ts';
import { refusalText } from '../../../shared/refusal-text.ts';

/** A bonus that the member could receive on a new deposit. */
export type DepositBonus = Reply<'GET /api/deposit/bonuses'>['bonuses'][number];

export type BonusChoice = {
  bonuses: readonly DepositBonus[];
  isLoading: boolean;
  /** Whether the bonuses could not be loaded. */
  isUnknown: boolean;
  /** Why no bonus is offered, if the member can change that; undefined from an older server. */
  obstacle: Reply<'GET /api/deposit/bonuses'>['obstacle'] | undefined;
  /** Code of the chosen bonus; '' for none. */
  code: string;
  choose: (code: string) => void;
};

const BonusChoiceContext = createContext<BonusChoice>({
  bonuses: [],
  isLoading: false,
  isUnknown: false,
  obstacle: null,
  code: '',
  choose: () => undefined,
});

const NO_BONUSES: readonly DepositBonus[] = [];

/** Shares one choice among all deposit methods of the dialog. At each opening, no bonus is chosen. */
export function BonusChoiceProvider({ children }: { children: ReactNode }) {
  const [chosen, choose] = useState('');
  const { data, isLoading, refetch } = useQuery({
    ...apiQuery('GET /api/deposit/bonuses', { quiet: true }),
    staleTime: 0,
    retry: false,
  });
  const hasObstacle = Boolean(data?.obstacle);
  // Most obstacles end with an event. Offers on the screen are not refetched, so that they stay unchanged.
  useEffect(() => (hasObstacle ? onMemberEvent(() => void refetch()) : undefined), [hasObstacle, refetch]);
  const bonuses = data?.bonuses ?? NO_BONUSES;
  // A bonus that is no longer on offer is not chosen.
  const code = bonuses.some((bonus) => bonus.code === chosen) ? chosen : '';
  const isUnknown = !isLoading && data === undefined;
  return (
    <BonusChoiceContext value={{ bonuses, isLoading, isUnknown, obstacle: data?.obstacle, code, choose }}>
      {children}
    </BonusChoiceContext>
  );
}

export const useBonusChoice = (): BonusChoice => use(BonusChoiceContext);

/** What a bonus gives on a deposit, and what it requires for withdrawals; in wire format. */
export type BonusTerms = { amount: number; target: number; turnoverTarget: number | null };

const minorOf = (amount: number | null) => (amount === null ? null : (parseAmount(amount) ?? ZERO));

/** Terms of a bonus on a deposit of this amount; undefined when it gives nothing on it. */
export function termsOn(bonus: DepositBonus, amount: number, currency: Currency): BonusTerms | undefined {
  const deposit = parseAmount(amount);
  if (deposit === undefined || amount < bonus.minimumDeposit) return undefined;
  const rate = { percent: bonus.percent, fixed: minorOf(bonus.fixed), maximum: minorOf(bonus.maximum) };
  const gives = bonusAmount(rate, deposit, currency);
  if (gives <= 0n) return undefined;
  const { target, turnoverTarget } = requiredAmounts(minor(deposit + gives), bonus, currency);
  return {
    amount: toWire(gives),
    target: toWire(target),
    turnoverTarget: turnoverTarget === null ? null : toWire(turnoverTarget),
  };
}

/**
 * The part of a request with the chosen bonus. Empty without a choice, and when the bonus gives nothing on the amount.
 * @param amount undefined while it is unknown
 */
export function useChosenBonus(): (amount: number | undefined, currency: Currency) => { bonus?: string } {
  const { bonuses, code } = useBonusChoice();
  return (amount, currency) => {
    const bonus = bonuses.find((one) => one.code === code);
    const gives = bonus && (amount === undefined || termsOn(bonus, amount, currency));
    return gives ? { bonus: code } : {};
  };
}

/** Refusals of the chosen bonus itself: the deposit was not started. */
const isBonusRefused = (failure: unknown): boolean =>
  failure instanceof ApiFailure && (failure.message === 'NO_PROMOTION' || failure.message === 'BONUS_CONDITION');

/** Text of a refused deposit request. A refused bonus is removed from the choice. */
export function depositFailureText(failure: unknown): string {
  if (!isBonusRefused(failure)) return refusalText(failure, 'deposit');
  void invalidate('deposit');
  return i18n.t('deposit:bonus.gone');
}
