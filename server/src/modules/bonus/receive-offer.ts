import { minor } from '@krapao/contract/money';
import type { CashLine } from '../../ledger/module.ts';
import { dayStart, weekStart } from '../../platform/bangkok.ts';
import type { Tx } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Award, type Grant, type Holder, inAll, notConfirmed, type Standing } from '../incentive/module.ts';
import {
  amountFor,
  type Deposit,
  depositedSince,
  depositFor,
  hasActive,
  isFull,
  type Offer,
  readCode,
  type ReceivedKind,
  termsOf,
} from './bonus.ts';
import type { BonusWork } from './bonus-work.ts';
import { type Claimable, findClaimable, findOffered, insertReceipt, takeFromCampaign } from './queries.ts';

const USED_UP = { BONUS: 'BONUS_MAX_CLAIMED', PROMOTION: 'PROMOTION_RECEIVED' } as const;

/**
 * Receives a bonus, or what a promotion's code gives, on the member's last deposit. Everything is looked at, in this
 * order, and used up by one commit under the member's gate: of many at the same moment one receives it.
 * @throws NO_WALLET, NO_PROMOTION, BONUS_ALREADY_ACTIVE, BONUS_MAX_CLAIMED or PROMOTION_RECEIVED, BONUS_FULL,
 *   BONUS_CONDITION (`detail` NO_DEPOSIT, DEPOSIT_BELOW_MINIMUM, DEPOSIT_USED, DEPOSIT_PLAYED, WITHDRAWN_SINCE,
 *   WITHDRAW_IN_PROGRESS), BONUS_REMAINING (`detail` GAMES_SILENT, OPEN_BETS, MONEY_LEFT); INTERNAL_SERVER_ERROR
 *   CREDIT_NOT_CONFIRMED when it is received and the ledger's outcome is unknown: the job credits it
 */
export async function receiveOffer(
  work: BonusWork,
  member: Holder,
  wanted: { kind: ReceivedKind; code: string },
): Promise<{ offer: Offer; grant: Grant }> {
  await work.account.assertWalletOpen(member.id);
  const code = readCode(wanted.code);
  const named = { kind: wanted.kind, code: code ?? '', currency: member.currency, now: work.clock.now() };
  // Games are not queried for an unknown code.
  const offered = code === undefined ? undefined : await findOffered(work.database, named);
  if (code === undefined || !offered) throw new Refusal('NO_PROMOTION');
  const see = async (tx: Tx): Promise<Seen> => {
    const now = work.clock.now();
    const since = { day: dayStart(now), week: weekStart(now) };
    const claimable = await findClaimable(tx, member.id, { ...named, now }, since);
    if (!claimable) throw new Refusal('NO_PROMOTION');
    const lines = await work.ledger.cashSince(member.id, depositedSince(claimable.offer, now), tx);
    return { ...claimable, lines, now };
  };
  const decide = async (tx: Tx, standing: Standing, seen: Seen): Promise<Award> => {
    const { offer, received, now } = seen;
    if (hasActive(standing)) throw new Refusal('BONUS_ALREADY_ACTIVE');
    if (received >= offer.maxReceived) throw new Refusal(USED_UP[wanted.kind]);
    if (isFull(offer)) throw new Refusal('BONUS_FULL');
    const deposit = findDeposit(seen, standing);
    assertNothingBesides(offer, standing, deposit);
    await use(tx, { member, offer, now }, deposit);
    const { kind } = wanted;
    return {
      kind,
      source: `${kind.toLowerCase()}:${code}:${deposit.operationId}`,
      name: kind === 'BONUS' ? offer.name : inAll(code),
      amount: amountFor(offer, deposit.amount),
      // A little of it may be played or lie in open bets: what isn't there is not theirs to keep.
      condition: termsOf(offer, minor(deposit.amount < standing.total ? deposit.amount : standing.total)),
    };
  };
  try {
    return { offer: offered, grant: await work.incentive.grant(member, { see, decide }) };
  } catch (error) {
    throw notConfirmed(error);
  }
}

type Situation = { member: Holder; offer: Offer; now: Date };
/** What is read before the standing, so that a deposit that comes meanwhile is money that is left. */
type Seen = Claimable & { lines: readonly CashLine[]; now: Date };

/** The deposit that earns it. */
function findDeposit({ offer, lines, lastUsed }: Seen, standing: Standing): Deposit {
  if (standing.isWithdrawing) throw new Refusal('BONUS_CONDITION', { detail: 'WITHDRAW_IN_PROGRESS' });
  // What is older than a used one lies behind it.
  const deposit = depositFor(offer, lines, (operation) => lastUsed !== null && operation <= lastUsed);
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

async function use(tx: Tx, { member, offer, now }: Situation, deposit: Deposit): Promise<void> {
  const amount = amountFor(offer, deposit.amount);
  if (!(await takeFromCampaign(tx, offer, amount))) throw new Refusal('BONUS_FULL');
  await insertReceipt(tx, {
    id: uuidV7(now),
    memberId: member.id,
    code: offer.code,
    currency: offer.currency,
    amount,
    depositOperation: deposit.operationId,
    receivedAt: now,
  });
}
