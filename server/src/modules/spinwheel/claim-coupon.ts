import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import type { Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import {
  conditionAmounts,
  type ConditionTerms,
  type Award,
  asCreditPending,
  type Eligibility,
} from '../incentive/index.ts';
import { countHit } from '../operator-data/index.ts';
import { collectCoins, readCoins } from './coins.ts';
import { moveCoins } from './queries.ts';
import {
  type SpinMember,
  type SpinwheelDeps,
  type Coupon,
  type Slice,
  coinPrice,
  isCouponId,
  localizedText,
} from './spinwheel.ts';
import { findCoupon, markClaimed, selectWheels } from './wheel-queries.ts';

/** Condition of a money prize; null without one. The member contributes no own money. */
export function moneyPrizeTerms({ prize }: Pick<Slice, 'prize'>): ConditionTerms | null {
  if (prize.kind !== 'MONEY' || !prize.condition) return null;
  return { ...prize.condition, own: ZERO, turnoverTimes: null, expiresAt: null };
}

/** Amounts of a condition in wire format. */
export type WireCondition = { base: number; target: number; floor: number; turnoverTarget: number | null };

/** Returns a function that reads the condition of a coupon, in the member's currency. Offers are cached by code. */
export function conditionReader(
  { bonus, database }: Pick<SpinwheelDeps, 'bonus' | 'database'>,
  { currency }: SpinMember,
) {
  const termsByCode = new Map<string, ReturnType<typeof bonus.findPrizeTerms>>();
  const findPrizeTerms = (code: string): ReturnType<typeof bonus.findPrizeTerms> => {
    const terms = termsByCode.get(code) ?? bonus.findPrizeTerms(database, code, currency);
    termsByCode.set(code, terms);
    return terms;
  };
  return async (coupon: Coupon, slice: Slice | undefined): Promise<WireCondition | null> => {
    if (!slice) return null;
    if (slice.prize.kind === 'BONUS') {
      const bonusTerms = await findPrizeTerms(slice.prize.bonus);
      return bonusTerms ? toWireCondition(bonusTerms, currency) : null;
    }
    const conditionTerms = moneyPrizeTerms(slice);
    return conditionTerms && toWireCondition({ amount: minor(coupon.amount), condition: conditionTerms }, currency);
  };
}

function toWireCondition(
  grant: { amount: Minor; condition: ConditionTerms },
  currency: SpinMember['currency'],
): WireCondition {
  const { base, target, floor, turnoverTarget } = conditionAmounts(grant, currency);
  return {
    base: toWire(base),
    target: toWire(target),
    floor: toWire(floor),
    turnoverTarget: turnoverTarget === null ? null : toWire(turnoverTarget),
  };
}

export type ClaimedCoupon = { coupon: Coupon; slice: Slice; coins: number };

/**
 * Claims a coupon once: the coupon is marked as claimed in the commit that grants its prize. A repeated claim is
 * refused with NO_CLAIMABLE_COUPON.
 * @throws INVALID_CODE, NO_CLAIMABLE_COUPON, COUPON_EXPIRED, INVALID_PRIZE_CODE, INVALID_COUPON_TYPE, NO_WALLET,
 *   REQUEST_LIMIT, and the refusals of the coupon's bonus; INTERNAL_SERVER_ERROR CREDIT_NOT_CONFIRMED if the coupon is
 *   claimed and the ledger's outcome is unknown: a job credits the prize
 */
export async function claimCoupon(deps: SpinwheelDeps, member: SpinMember, id: string): Promise<ClaimedCoupon> {
  const foundCoupon = isCouponId(id) ? await findCoupon(deps.database, id) : undefined;
  // A repeated claim does not count towards the rate limit.
  if (foundCoupon?.memberId !== member.id || foundCoupon.state !== 'CLAIMED')
    await countHit(deps, 'coupon.member', member.id);
  const coupon = assertClaimable(deps, member, { id, found: foundCoupon });
  const slice = await findSliceOf(deps, coupon);
  if (slice.prize.kind === 'GOODS') throw new Refusal('INVALID_COUPON_TYPE', { detail: 'GOODS' });
  await deps.account.assertWalletOpen(member.id);
  await grantPrize(deps, member, { coupon, slice });
  return { coupon, slice, coins: await readCoins(deps, member) };
}

function assertClaimable(
  { clock }: SpinwheelDeps,
  member: SpinMember,
  { id, found: coupon }: { id: string; found: Coupon | undefined },
): Coupon {
  if (!coupon) throw new Refusal('INVALID_CODE', { detail: isCouponId(id) ? 'UNKNOWN_COUPON' : 'MALFORMED' });
  if (coupon.memberId !== member.id) throw new Refusal('NO_CLAIMABLE_COUPON', { detail: 'NOT_YOURS' });
  if (coupon.state === 'CLAIMED') throw new Refusal('NO_CLAIMABLE_COUPON', { detail: 'CLAIMED' });
  const isExpired = coupon.expiresAt !== null && coupon.expiresAt <= clock.now();
  if (isExpired || coupon.state === 'EXPIRED') throw new Refusal('COUPON_EXPIRED');
  return coupon;
}

async function findSliceOf({ database }: SpinwheelDeps, { version, sliceCode, kind }: Coupon): Promise<Slice> {
  const wheel = (await selectWheels(database, [version])).get(version);
  const slice = wheel?.slices.find(({ code, prize }) => code === sliceCode && prize.kind === kind);
  if (!slice) throw new Refusal('INVALID_PRIZE_CODE');
  return slice;
}

async function grantPrize(
  deps: SpinwheelDeps,
  member: SpinMember,
  { coupon, slice }: { coupon: Coupon; slice: Slice },
): Promise<void> {
  const source = `coupon:${coupon.id}`;
  const takeCoupon = async (tx: Tx): Promise<void> => {
    const isTaken = await markClaimed(tx, coupon.id, deps.clock.now());
    if (!isTaken) throw new Refusal('NO_CLAIMABLE_COUPON', { detail: 'CLAIMED' });
  };
  const { prize } = slice;
  if (prize.kind === 'COINS') {
    const amountPerCoin = await coinPrice(deps, member);
    await deps.database.tx(async (tx) => {
      await collectCoins(tx, deps.ledger, member, amountPerCoin);
      await takeCoupon(tx);
      await moveCoins(tx, member.id, source, Number(coupon.amount));
    });
    return;
  }
  const decideAward = async (tx: Tx, eligibility: Eligibility): Promise<Award> => {
    await takeCoupon(tx);
    if (prize.kind === 'BONUS') return deps.bonus.awardPrize(tx, { member, eligibility, code: prize.bonus, source });
    const prizeName = (language: Language): string =>
      localizedText(slice, 'prizeName', { language, currency: member.currency });
    return {
      kind: 'COUPON',
      source,
      name: {
        th: prizeName('th'),
        la: prizeName('la'),
        en: prizeName('en'),
      },
      amount: minor(coupon.amount),
      condition: moneyPrizeTerms(slice),
    };
  };
  try {
    await deps.incentive.grant(member, decideAward);
  } catch (error) {
    throw asCreditPending(error);
  }
}
