import type { Language } from '@krapao/contract/languages';
import { minor } from '@krapao/contract/money';
import { dayStart, weekStart } from '../../platform/bangkok.ts';
import { Refusal } from '../../platform/refusal.ts';
import { noWallet } from '../account/module.ts';
import { type GrantedOffer, type Holder, inAll, type OfferAward, type Standing } from '../incentive/module.ts';
import {
  amountFor,
  type Deposit,
  depositFor,
  hasActive,
  isFull,
  type Offer,
  readCode,
  type ReceivedKind,
  termsOf,
} from './bonus.ts';
import type { BonusWork } from './bonus-work.ts';
import { type Claimable, findClaimable, previewClaim } from './queries.ts';

const USED_UP = { BONUS: 'BONUS_MAX_CLAIMED', PROMOTION: 'PROMOTION_RECEIVED' } as const;

/**
 * Receives a bonus, or what a promotion's code gives, on the member's last deposit. Checked in this order and used up in
 * one commit: of many at the same moment one receives it.
 * @throws NO_WALLET, NO_PROMOTION, BONUS_ALREADY_ACTIVE, BONUS_MAX_CLAIMED or PROMOTION_RECEIVED, BONUS_FULL,
 *   BONUS_CONDITION (`detail` NO_DEPOSIT, DEPOSIT_BELOW_MINIMUM, DEPOSIT_USED, DEPOSIT_PLAYED, WITHDRAWN_SINCE,
 *   WITHDRAW_IN_PROGRESS), BONUS_REMAINING (`detail` GAMES_SILENT, OPEN_BETS, MONEY_LEFT), REQUEST_LIMIT (`detail` BUSY)
 */
export async function receiveOffer(
  work: BonusWork,
  member: Holder,
  { kind, code: typed, language }: { kind: ReceivedKind; code: string; language: Language },
): Promise<GrantedOffer<Claimable>> {
  const code = readCode(typed);
  const wanted = { kind, code: code ?? '', currency: member.currency, now: work.clock.now() };
  const { isOffered, isSuspended, hasConditions } = await previewClaim(work.database, member.id, wanted);
  if (isSuspended) throw noWallet();
  // Games are not queried for an unknown code.
  if (code === undefined || !isOffered) throw new Refusal('NO_PROMOTION');
  const read = async (): Promise<Claimable> => {
    const now = work.clock.now();
    const since = { day: dayStart(now), week: weekStart(now) };
    const claimable = await findClaimable(work.database, member.id, { ...wanted, now }, since);
    if (!claimable) throw new Refusal('NO_PROMOTION');
    return claimable;
  };
  const decide = (standing: Standing, claimable: Claimable): OfferAward => {
    const { offer, received } = claimable;
    if (hasActive(standing)) throw new Refusal('BONUS_ALREADY_ACTIVE');
    if (received >= offer.maxReceived) throw new Refusal(USED_UP[kind]);
    if (isFull(offer)) throw new Refusal('BONUS_FULL');
    const deposit = findDeposit(claimable, standing);
    assertNothingBesides(offer, standing, deposit);
    return {
      kind,
      code: offer.code,
      depositOperation: deposit.operationId,
      source: `${kind.toLowerCase()}:${code}:${deposit.operationId}`,
      name: kind === 'BONUS' ? offer.name : inAll(code),
      amount: amountFor(offer, deposit.amount),
      // A little of it may be played or in open bets: what is no longer there is not the member's to keep.
      condition: termsOf(offer, minor(deposit.amount < standing.total ? deposit.amount : standing.total)),
    };
  };
  return work.incentive.grantOffer(member, { read, decide, hasConditions, language });
}

/** The deposit that earns it. */
function findDeposit({ offer, cash, lastUsed }: Claimable, standing: Standing): Deposit {
  if (standing.isWithdrawing) throw new Refusal('BONUS_CONDITION', { detail: 'WITHDRAW_IN_PROGRESS' });
  // What is older than a used one lies behind it.
  const deposit = depositFor(offer, cash, (operation) => lastUsed !== null && operation <= lastUsed);
  if (typeof deposit === 'string') throw new Refusal('BONUS_CONDITION', { detail: deposit });
  // A deposit that was lost before would be insured by the bonus; a trial round or two does no harm.
  if (standing.isCertain && standing.total + standing.outstanding + offer.rest < deposit.amount) {
    throw new Refusal('BONUS_CONDITION', { detail: 'DEPOSIT_PLAYED' });
  }
  return deposit;
}

/** @throws BONUS_REMAINING when there is, or may be, more than the offer lets pass: the bonus would not be played for */
function assertNothingBesides(offer: Offer, { isCertain, outstanding, total }: Standing, deposit: Deposit): void {
  if (!isCertain) throw new Refusal('BONUS_REMAINING', { detail: 'GAMES_SILENT' });
  if (outstanding > offer.rest) throw new Refusal('BONUS_REMAINING', { detail: 'OPEN_BETS' });
  if (total + outstanding - deposit.amount > offer.rest) throw new Refusal('BONUS_REMAINING', { detail: 'MONEY_LEFT' });
}
