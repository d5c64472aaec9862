import type { Unmet } from '@krapao/contract/errors';
import type { Language } from '@krapao/contract/languages';
import { minor, currencies, type Currency, type Minor, ZERO } from '@krapao/contract/money';
import type { CashEntry } from '../../ledger/index.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { dayStart, weekStart, type Clock } from '../../platform/time.ts';
import { noWalletRefusal } from '../account/index.ts';
import {
  type GrantedOffer,
  type MemberRef,
  sameInAllLanguages,
  type OfferAward,
  type Eligibility,
  type Award,
  type ConditionTerms,
} from '../incentive/index.ts';
import {
  offerAmountFor,
  type QualifyingDeposit,
  qualifyingDeposit,
  hasActiveOffer,
  isExhausted,
  type Offer,
  readCode,
  type ReceivedKind,
  conditionTerms,
  type BonusDeps,
} from './bonus.ts';
import { type ClaimableOffer, findClaimable, previewClaim, findOffer, insertReceipt } from './queries.ts';

const LIMIT_REACHED_CODES = { BONUS: 'BONUS_MAX_CLAIMED', PROMOTION: 'PROMOTION_RECEIVED' } as const;

export type OfferSelection = {
  kind: ReceivedKind;
  code: string;
  language: Language;
  /** Ledger operation of the only deposit that may qualify; undefined: any. */
  depositOperation?: bigint;
};

/** Data of a claim. `laterDeposits`: money deposited after the only deposit that may qualify. */
type ClaimFacts = ClaimableOffer & { laterDeposits: Minor };

/**
 * Receives a bonus or promotion on the member's last deposit. Requirements are checked in the order below and applied
 * in one commit: of concurrent claims one succeeds.
 * @throws NO_WALLET, NO_PROMOTION, BONUS_ALREADY_ACTIVE, BONUS_MAX_CLAIMED or PROMOTION_RECEIVED, BONUS_FULL,
 *   BONUS_CONDITION (`detail` NO_DEPOSIT, DEPOSIT_BELOW_MINIMUM, DEPOSIT_USED, DEPOSIT_PLAYED, WITHDRAWN_SINCE,
 *   WITHDRAW_IN_PROGRESS), BONUS_REMAINING (`detail` GAMES_SILENT, OPEN_BETS, MONEY_LEFT), REQUEST_LIMIT (`detail`
 *   BUSY)
 */
export async function receiveOffer(
  deps: BonusDeps,
  member: MemberRef,
  selection: OfferSelection,
): Promise<GrantedOffer<ClaimableOffer>> {
  const { kind, code: rawCode, language, depositOperation } = selection;
  const code = readCode(rawCode);
  const selector = { kind, code: code ?? '', currency: member.currency, now: deps.clock.now() };
  const { isOffered, isSuspended, hasConditions } = await previewClaim(deps.database, member.id, selector);
  if (isSuspended) throw noWalletRefusal();
  // Games are not queried for an unknown code.
  if (code === undefined || !isOffered) throw new Refusal('NO_PROMOTION');
  let newestCash: bigint | undefined;
  const readClaimable = async (): Promise<ClaimFacts> => {
    const now = deps.clock.now();
    const periodStarts = { day: dayStart(now), week: weekStart(now) };
    const claimable = await findClaimable(deps.database, member.id, { ...selector, now }, periodStarts);
    if (!claimable) throw new Refusal('NO_PROMOTION');
    newestCash = claimable.cash[0]?.seq;
    return restrictToDeposit(claimable, depositOperation);
  };
  const decideAward = (current: Eligibility, claimable: ClaimFacts): OfferAward => {
    const total = minor(current.total > claimable.laterDeposits ? current.total - claimable.laterDeposits : ZERO);
    const eligibility = { ...current, total };
    const { offer } = claimable;
    const { unmet, deposit } = findUnmetRequirements(kind, claimable, eligibility);
    const [firstUnmet] = unmet;
    if (firstUnmet)
      throw new Refusal(firstUnmet.code, {
        ...(firstUnmet.detail !== undefined && { detail: firstUnmet.detail }),
        unmet,
      });
    if (!deposit) throw new Error('a claim without unmet requirements has no deposit');
    return {
      kind,
      code: offer.code,
      depositOperation: deposit.operationId,
      source: `${kind.toLowerCase()}:${code}:${deposit.operationId}`,
      name: kind === 'BONUS' ? offer.name : sameInAllLanguages(code),
      amount: offerAmountFor(offer, deposit.amount),
      // Part of the deposit may be lost or in open bets. Only the remaining money counts as the member's own.
      condition: conditionTerms(offer, minor(deposit.amount < eligibility.total ? deposit.amount : eligibility.total)),
    };
  };
  try {
    return await deps.incentive.grantOffer(member, {
      readFacts: readClaimable,
      decide: decideAward,
      hasConditions,
      language,
    });
  } catch (error) {
    if (depositOperation === undefined || !(error instanceof Refusal)) throw error;
    // Money that came between the reads of facts and balance is only in the balance.
    const newestWhenRefused = newestCash;
    await readClaimable();
    if (newestCash === newestWhenRefused) throw error;
    return receiveOffer(deps, member, selection);
  }
}

/**
 * Restricts a claim to one deposit. Earlier deposits count as remaining money. Later ones do not: otherwise two deposits
 * credited at the same time would refuse each other's bonus.
 */
function restrictToDeposit(claimable: ClaimableOffer, depositOperation: bigint | undefined): ClaimFacts {
  if (depositOperation === undefined) return { ...claimable, laterDeposits: ZERO };
  const isLater = ({ kind, state, operationId }: CashEntry): boolean =>
    kind === 'deposit' && state === 'SUCCESS' && operationId > depositOperation;
  return {
    ...claimable,
    cash: claimable.cash.filter(({ kind, operationId }) => kind !== 'deposit' || operationId === depositOperation),
    laterDeposits: minor(claimable.cash.filter(isLater).reduce((sum, { amount }) => sum + amount, 0n)),
  };
}

/**
 * Unmet requirements of a bonus, from stored data. Can be called before a deposit.
 * @throws NO_PROMOTION
 */
export async function unmetRequirements(
  deps: BonusDeps,
  member: MemberRef,
  rawCode: string,
): Promise<readonly Unmet[]> {
  const now = deps.clock.now();
  const selector = { kind: 'BONUS' as const, code: readCode(rawCode) ?? '', currency: member.currency, now };
  const periodStarts = { day: dayStart(now), week: weekStart(now) };
  const claimable = await findClaimable(deps.database, member.id, selector, periodStarts);
  if (!claimable) throw new Refusal('NO_PROMOTION');
  return findUnmetRequirements('BONUS', claimable, await deps.incentive.eligibility(member.id)).unmet;
}

/** Unmet requirements of a bonus that a new deposit does not change, from stored data. */
export function unmetByNewDeposit(claimable: ClaimableOffer, eligibility: Eligibility): Unmet[] {
  // A game without a reply may reply until the credit.
  const { unmet } = findUnmetRequirements('BONUS', { ...claimable, cash: [] }, { ...eligibility, isCertain: true });
  return unmet.filter(({ code, detail }) => code !== 'BONUS_CONDITION' || detail === 'WITHDRAW_IN_PROGRESS');
}

/** Unmet requirements in the order of refusals, and the qualifying deposit if any. */
function findUnmetRequirements(
  kind: ReceivedKind,
  claimable: ClaimableOffer,
  eligibility: Eligibility,
): { unmet: Unmet[]; deposit: QualifyingDeposit | undefined } {
  const { offer, received: receivedCount } = claimable;
  const depositOrReason = findDeposit(claimable, eligibility);
  const foundDeposit = typeof depositOrReason === 'string' ? undefined : depositOrReason;
  const remainingDetail = remainingMoneyDetail(offer, eligibility, foundDeposit);
  const unmet: Unmet[] = [
    ...(hasActiveOffer(eligibility) ? [{ code: 'BONUS_ALREADY_ACTIVE' } as const] : []),
    ...(receivedCount >= offer.maxReceived ? [{ code: LIMIT_REACHED_CODES[kind] }] : []),
    ...(isExhausted(offer) ? [{ code: 'BONUS_FULL' } as const] : []),
    ...(typeof depositOrReason === 'string' ? [{ code: 'BONUS_CONDITION', detail: depositOrReason } as const] : []),
    ...(remainingDetail === undefined ? [] : [{ code: 'BONUS_REMAINING', detail: remainingDetail } as const]),
  ];
  return { unmet, deposit: foundDeposit };
}

/** The qualifying deposit, or the `detail` of BONUS_CONDITION. */
function findDeposit(
  { offer, cash: cashEntries, lastUsed }: ClaimableOffer,
  eligibility: Eligibility,
): QualifyingDeposit | string {
  if (eligibility.isWithdrawing) return 'WITHDRAW_IN_PROGRESS';
  // A deposit before a used deposit does not qualify.
  const deposit = qualifyingDeposit(offer, cashEntries, (operationId) => lastUsed !== null && operationId <= lastUsed);
  if (typeof deposit === 'string') return deposit;
  // The bonus must not refund a deposit that is already lost. `offer.rest` tolerates a few played rounds.
  const isDepositPlayed =
    eligibility.isCertain && eligibility.total + eligibility.outstanding + offer.rest < deposit.amount;
  return isDepositPlayed ? 'DEPOSIT_PLAYED' : deposit;
}

/**
 * `detail` of BONUS_REMAINING if the member has, or may have, more money than the offer allows; otherwise undefined.
 */
function remainingMoneyDetail(
  offer: Offer,
  { isCertain, outstanding, total: totalMoney }: Eligibility,
  deposit: QualifyingDeposit | undefined,
): string | undefined {
  if (!isCertain) return 'GAMES_SILENT';
  if (outstanding > offer.rest) return 'OPEN_BETS';
  return totalMoney + outstanding - (deposit?.amount ?? 0n) > offer.rest ? 'MONEY_LEFT' : undefined;
}

export type PrizeRequest = {
  member: MemberRef;
  eligibility: Eligibility;
  /** Code of an offer with a fixed amount in the member's currency. Not a promotion. */
  code: string;
  /** Source of the grant: `coupon:ID`. */
  source: string;
};

/** Currencies in which an offer can't be a prize, because it is a promotion or has no fixed amount. */
export async function currenciesWithoutPrize(on: Queryable, code: string): Promise<Currency[]> {
  const offers = await Promise.all(currencies.map((currency) => findOffer(on, code, currency)));
  return currencies.filter((_, index) => !isPrize(offers[index]));
}

const isPrize = (offer: Offer | undefined): offer is Offer & { fixed: Minor } =>
  offer !== undefined && offer.kind !== 'PROMOTION' && offer.fixed !== null;

/** Amount and condition of a prize. The member contributes no own money. */
export type PrizeTerms = { amount: Minor; condition: ConditionTerms };

/** Terms of an offer as a prize; undefined if the offer is off or can't be a prize. */
export async function findPrizeTerms(on: Queryable, code: string, currency: Currency): Promise<PrizeTerms | undefined> {
  const offer = await findOffer(on, code, currency);
  return isPrize(offer) && offer.isOn ? { amount: offer.fixed, condition: conditionTerms(offer, ZERO) } : undefined;
}

/**
 * Awards an offer as a prize, without a deposit or own money. Dates and limits of the offer do not apply: the operator
 * limits prizes when setting them. While the offer is off, the prize can't be claimed.
 * @param tx transaction of `decide`
 * @throws NO_PROMOTION (no such offer, it is off, or has no fixed amount in this currency), BONUS_ALREADY_ACTIVE
 */
export async function awardPrize(
  clock: Clock,
  tx: Tx,
  { member, eligibility, code, source }: PrizeRequest,
): Promise<Award> {
  const offer = await findOffer(tx, code, member.currency);
  if (!isPrize(offer) || !offer.isOn) throw new Refusal('NO_PROMOTION');
  if (hasActiveOffer(eligibility)) throw new Refusal('BONUS_ALREADY_ACTIVE');
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
