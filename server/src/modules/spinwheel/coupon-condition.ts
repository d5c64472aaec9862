import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import { amountsOf, type ConditionTerms } from '../incentive/module.ts';
import type { SpinMember, SpinwheelDeps } from './spinwheel-deps.ts';
import type { Coupon, Slice } from './spinwheel.ts';

/** Condition of a money prize; null: none. No part of the prize is the member's own money. */
export function moneyPrizeTerms({ prize }: Pick<Slice, 'prize'>): ConditionTerms | null {
  if (prize.kind !== 'MONEY' || !prize.condition) return null;
  return { ...prize.condition, own: ZERO, turnoverTimes: null, expiresAt: null };
}

/** Amounts of a condition in wire format. */
export type WireCondition = { base: number; target: number; floor: number; turnoverTarget: number | null };

/** Reads the condition that claiming a coupon starts, in the member's currency; caches offers by code. */
export function conditionReader(
  { bonus, database }: Pick<SpinwheelDeps, 'bonus' | 'database'>,
  { currency }: SpinMember,
) {
  const prizes = new Map<string, ReturnType<typeof bonus.findPrizeTerms>>();
  const findPrizeTerms = (code: string): ReturnType<typeof bonus.findPrizeTerms> => {
    const known = prizes.get(code) ?? bonus.findPrizeTerms(database, code, currency);
    prizes.set(code, known);
    return known;
  };
  return async (coupon: Coupon, slice: Slice | undefined): Promise<WireCondition | null> => {
    if (!slice) return null;
    if (slice.prize.kind === 'BONUS') {
      const won = await findPrizeTerms(slice.prize.bonus);
      return won ? toWireCondition(won, currency) : null;
    }
    const condition = moneyPrizeTerms(slice);
    return condition && toWireCondition({ amount: minor(coupon.amount), condition }, currency);
  };
}

function toWireCondition(
  given: { amount: Minor; condition: ConditionTerms },
  currency: SpinMember['currency'],
): WireCondition {
  const { base, target, floor, turnoverTarget } = amountsOf(given, currency);
  return {
    base: toWire(base),
    target: toWire(target),
    floor: toWire(floor),
    turnoverTarget: turnoverTarget === null ? null : toWire(turnoverTarget),
  };
}
