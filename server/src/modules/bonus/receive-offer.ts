import type { Unmet } from '@krapao/contract/errors';
import type { Language } from '@krapao/contract/languages';
import { minor, currencies, type Currency, type Minor, ZERO } from '@krapao/contract/money';
import { dayStart, weekStart, type Clock } from '../../platform/time.ts';
import { Refusal } from '../../platform/errors.ts';
import { noWallet } from '../account/index.ts';
import {
  type GrantedOffer,
  type MemberRef,
  sameInAll,
  type OfferAward,
  type Eligibility,
  type Award,
  type ConditionTerms,
} from '../incentive/index.ts';
import {
  amountFor,
  type Deposit,
  qualifyingDeposit,
  hasActive,
  isExhausted,
  type Offer,
  readCode,
  type ReceivedKind,
  conditionTerms,
  type BonusDeps,
} from './bonus.ts';
import { type Claimable, findClaimable, previewClaim, findOffer, insertReceipt } from './queries.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';

const USED_UP = { BONUS: 'BONUS_MAX_CLAIMED', PROMOTION: 'PROMOTION_RECEIVED' } as const;

/**
 * Receives a bonus or promotion on the member's last deposit. Requirements are checked in the order below and applied in
 * one commit: of concurrent claims one succeeds.
 * @throws NO_WALLET, NO_PROMOTION, BONUS_ALREADY_ACTIVE, BONUS_MAX_CLAIMED or PROMOTION_RECEIVED, BONUS_FULL,
 *   BONUS_CONDITION (`detail` NO_DEPOSIT, DEPOSIT_BELOW_MINIMUM, DEPOSIT_USED, DEPOSIT_PLAYED, WITHDRAWN_SINCE,
 *   WITHDRAW_IN_PROGRESS), BONUS_REMAINING (`detail` GAMES_SILENT, OPEN_BETS, MONEY_LEFT), REQUEST_LIMIT (`detail` BUSY)
 */
export async function receiveOffer(
  work: BonusDeps,
  member: MemberRef,
  { kind, code: typed, language }: { kind: ReceivedKind; code: string; language: Language },
): Promise<GrantedOffer<Claimable>> {
  const code = readCode(typed);
  const selector = { kind, code: code ?? '', currency: member.currency, now: work.clock.now() };
  const { isOffered, isSuspended, hasConditions } = await previewClaim(work.database, member.id, selector);
  if (isSuspended) throw noWallet();
  // Games are not queried for an unknown code.
  if (code === undefined || !isOffered) throw new Refusal('NO_PROMOTION');
  const read = async (): Promise<Claimable> => {
    const now = work.clock.now();
    const since = { day: dayStart(now), week: weekStart(now) };
    const claimable = await findClaimable(work.database, member.id, { ...selector, now }, since);
    if (!claimable) throw new Refusal('NO_PROMOTION');
    return claimable;
  };
  const decide = (standing: Eligibility, claimable: Claimable): OfferAward => {
    const { offer } = claimable;
    const { unmet, deposit } = checkRequirements(kind, claimable, standing);
    const [first] = unmet;
    if (first) throw new Refusal(first.code, { ...(first.detail !== undefined && { detail: first.detail }), unmet });
    if (!deposit) throw new Error('a claim without unmet requirements has no deposit');
    return {
      kind,
      code: offer.code,
      depositOperation: deposit.operationId,
      source: `${kind.toLowerCase()}:${code}:${deposit.operationId}`,
      name: kind === 'BONUS' ? offer.name : sameInAll(code),
      amount: amountFor(offer, deposit.amount),
      // A little of it may be played or in open bets: what is no longer there is not the member's to keep.
      condition: conditionTerms(offer, minor(deposit.amount < standing.total ? deposit.amount : standing.total)),
    };
  };
  return work.incentive.grantOffer(member, { read, decide, hasConditions, language });
}

/**
 * Every requirement of a bonus that is not met now, from stored data, also before a deposit.
 * @throws NO_PROMOTION
 */
export async function unmetRequirements(work: BonusDeps, member: MemberRef, typed: string): Promise<readonly Unmet[]> {
  const now = work.clock.now();
  const selector = { kind: 'BONUS' as const, code: readCode(typed) ?? '', currency: member.currency, now };
  const since = { day: dayStart(now), week: weekStart(now) };
  const claimable = await findClaimable(work.database, member.id, selector, since);
  if (!claimable) throw new Refusal('NO_PROMOTION');
  return checkRequirements('BONUS', claimable, await work.incentive.eligibility(member.id)).unmet;
}

/** Unmet requirements in the order of refusals, and the deposit that earns the offer, if any. */
function checkRequirements(
  kind: ReceivedKind,
  claimable: Claimable,
  standing: Eligibility,
): { unmet: Unmet[]; deposit: Deposit | undefined } {
  const { offer, received } = claimable;
  const found = findDeposit(claimable, standing);
  const deposit = typeof found === 'string' ? undefined : found;
  const remaining = remainingMoney(offer, standing, deposit);
  const unmet: Unmet[] = [
    ...(hasActive(standing) ? [{ code: 'BONUS_ALREADY_ACTIVE' } as const] : []),
    ...(received >= offer.maxReceived ? [{ code: USED_UP[kind] }] : []),
    ...(isExhausted(offer) ? [{ code: 'BONUS_FULL' } as const] : []),
    ...(typeof found === 'string' ? [{ code: 'BONUS_CONDITION', detail: found } as const] : []),
    ...(remaining === undefined ? [] : [{ code: 'BONUS_REMAINING', detail: remaining } as const]),
  ];
  return { unmet, deposit };
}

/** The deposit that earns the offer, or the `detail` of BONUS_CONDITION. */
function findDeposit({ offer, cash, lastUsed }: Claimable, standing: Eligibility): Deposit | string {
  if (standing.isWithdrawing) return 'WITHDRAW_IN_PROGRESS';
  // Deposits before a used one don't qualify.
  const deposit = qualifyingDeposit(offer, cash, (operation) => lastUsed !== null && operation <= lastUsed);
  if (typeof deposit === 'string') return deposit;
  // A deposit that was lost before would be insured by the bonus; a trial round or two does no harm.
  const isPlayed = standing.isCertain && standing.total + standing.outstanding + offer.rest < deposit.amount;
  return isPlayed ? 'DEPOSIT_PLAYED' : deposit;
}

/** The `detail` of BONUS_REMAINING if the member has, or may have, more money than the offer allows. */
function remainingMoney(
  offer: Offer,
  { isCertain, outstanding, total }: Eligibility,
  deposit: Deposit | undefined,
): string | undefined {
  if (!isCertain) return 'GAMES_SILENT';
  if (outstanding > offer.rest) return 'OPEN_BETS';
  return total + outstanding - (deposit?.amount ?? 0n) > offer.rest ? 'MONEY_LEFT' : undefined;
}

export type Prize = {
  member: MemberRef;
  standing: Eligibility;
  /** Of an offer that gives a fixed amount in the member's currency, and is no promotion. */
  code: string;
  /** What entitles to it: `coupon:ID`. */
  source: string;
};

/** The currencies whose members an offer can't be a prize for: it is a promotion, or gives no fixed amount in them. */
export async function currenciesWithoutPrize(on: Queryable, code: string): Promise<Currency[]> {
  const offers = await Promise.all(currencies.map((currency) => findOffer(on, code, currency)));
  return currencies.filter((_, at) => !isPrize(offers[at]));
}

const isPrize = (offer: Offer | undefined): offer is Offer & { fixed: Minor } =>
  offer !== undefined && offer.kind !== 'PROMOTION' && offer.fixed !== null;

/** Amount and condition of a prize. No part of it is the member's own money. */
export type PrizeTerms = { amount: Minor; condition: ConditionTerms };

/** Terms of an offer as a prize; undefined when it can't be a prize or is off. */
export async function findPrizeTerms(on: Queryable, code: string, currency: Currency): Promise<PrizeTerms | undefined> {
  const offer = await findOffer(on, code, currency);
  return isPrize(offer) && offer.isOn ? { amount: offer.fixed, condition: conditionTerms(offer, ZERO) } : undefined;
}

/**
 * Gives an offer as a prize, without a deposit: nothing of it is the member's own. It was won, so that its dates and
 * limits do not apply; the operator limits prizes when setting them. While the offer is off, the prize waits.
 * @param tx the transaction of `decide`
 * @throws NO_PROMOTION (there is none, it is off, or gives no fixed amount in this currency), BONUS_ALREADY_ACTIVE
 */
export async function awardPrize(clock: Clock, tx: Tx, { member, standing, code, source }: Prize): Promise<Award> {
  const offer = await findOffer(tx, code, member.currency);
  if (!isPrize(offer) || !offer.isOn) throw new Refusal('NO_PROMOTION');
  if (hasActive(standing)) throw new Refusal('BONUS_ALREADY_ACTIVE');
  const now = clock.now();
  const amount = offer.fixed;
  await insertReceipt(tx, {
    id: uuidV7(now),
    memberId: member.id,
    code,
    currency: member.currency,
    amount,
    depositOperation: null,
    receivedAt: now,
  });
  return { kind: 'BONUS', source, name: offer.name, amount, condition: conditionTerms(offer, ZERO) };
}
