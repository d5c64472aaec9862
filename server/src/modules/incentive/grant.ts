import { ZERO } from '@krapao/contract/money';
import { type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/errors.ts';
import { refreshConditions } from './conditions.ts';
import { conditionAmounts, type Award, type Grant, type MemberRef, type Eligibility } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { creditGrant } from './commands.ts';
import { turnoverNow } from './progress.ts';
import { insertCondition, insertGrant } from './queries.ts';
import { type EligibilitySnapshot, loadEligibility } from './load-eligibility.ts';

/** Length of a grant's reference without its leading letter. */
export const REFERENCE_CHARACTERS = 13;

/** The source has already given; `decide` should have found that. */
export class DuplicateGrant extends Error {
  override readonly name = 'AlreadyGiven';
}

/** How a source of incentive money decides, in the transaction that holds the member's gate. */
export type GrantDecision<Seen> = {
  /** Read before eligibility: money that arrives in between is in the eligibility only. */
  see: (tx: Tx) => Promise<Seen>;
  decide: (tx: Tx, standing: Eligibility, seen: Seen) => Promise<Award>;
};

/**
 * Grants once: decides, writes the grant and its condition in the same commit, then credits it.
 * @throws what `decide` throws; BONUS_ALREADY_ACTIVE, REQUEST_LIMIT (a condition would block a pending withdrawal),
 *   NO_WALLET, {CreditPending}, {DuplicateGrant}
 */
export async function grantAward<Seen>(
  work: IncentiveDeps,
  member: MemberRef,
  decision: GrantDecision<Seen>,
): Promise<Grant> {
  const { picture } = await refreshConditions(work, member);
  if (!picture) await work.game.refresh(member);
  const grant = await decideOnce(work, member, decision);
  return creditGrant(work, grant);
}

async function decideOnce<Seen>(
  work: IncentiveDeps,
  member: MemberRef,
  { see, decide }: GrantDecision<Seen>,
): Promise<Grant> {
  try {
    return await work.underGate(member.id, async (tx) => {
      const seen = await see(tx);
      const picture = await loadEligibility(work, tx, member.id);
      return write(work, tx, { member, award: await decide(tx, picture, seen), picture });
    });
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'incentive_condition_one_bonus') throw new Refusal('BONUS_ALREADY_ACTIVE', { cause: error });
    if (constraint === 'incentive_grant_once')
      throw new DuplicateGrant('this source has given before', { cause: error });
    throw error;
  }
}

async function write(
  work: IncentiveDeps,
  tx: Tx,
  { member, award, picture }: { member: MemberRef; award: Award; picture: EligibilitySnapshot },
): Promise<Grant> {
  const { condition, kind, source, name, amount } = award;
  if (condition && picture.isWithdrawing) throw new Refusal('REQUEST_LIMIT', { detail: 'WITHDRAW_IN_PROGRESS' });
  const createdAt = work.clock.now();
  const grant: Grant = {
    id: uuidV7(createdAt),
    memberId: member.id,
    currency: member.currency,
    kind,
    source,
    name,
    reference: `B${newReference(REFERENCE_CHARACTERS)}`,
    amount,
    state: 'OPEN',
    createdAt,
  };
  await insertGrant(tx, grant);
  if (condition) {
    const amounts = conditionAmounts({ amount, condition }, member.currency);
    // For a grant on a deposit, open bets may be stakes of that deposit: they are not the member's own.
    const outstandingBefore = condition.own === ZERO ? picture.outstanding : ZERO;
    const turnoverBefore = turnoverNow(picture.bets);
    await insertCondition(tx, grant, { ...condition, ...amounts, turnoverBefore, outstandingBefore });
  }
  return grant;
}
