import { ZERO, minor } from '@krapao/contract/money';
import { type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { Refusal, assertNever } from '../../platform/errors.ts';
import { refreshConditions } from './conditions.ts';
import {
  conditionAmounts,
  type Award,
  type Grant,
  type MemberRef,
  type Eligibility,
  type Condition,
  type ConditionProgress,
} from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { creditGrant, creditOperation } from './commands.ts';
import { turnoverNow, measure, toWireProgress } from './progress.ts';
import { insertCondition, insertGrant, type ConditionGate, insertMemberLock, LEASE_MS } from './queries.ts';
import { type EligibilitySnapshot, loadEligibility } from './load-eligibility.ts';
import type { Language } from '@krapao/contract/languages';
import { conditionTransitions, grantTransitions } from '@krapao/contract/states';
import { type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { BetState } from '../game/index.ts';

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

/** A bonus or promotion on a deposit, and the deposit's ledger operation. */
export type OfferAward = Award & {
  condition: NonNullable<Award['condition']>;
  code: string;
  depositOperation: bigint;
};

/** How an offer is decided. Optimistic: both run again when their data changed before the commit. */
export type OfferDecision<Facts extends { gate: ConditionGate }> = {
  /** Runs before eligibility is read: a deposit that commits in between counts as remaining money. */
  read: () => Promise<Facts>;
  decide: (standing: Eligibility, facts: Facts) => OfferAward;
};

export type GrantedOffer<Facts> = { grant: Grant; condition: ConditionProgress; facts: Facts };

/** Only the member's own concurrent commands cause a retry. */
const ATTEMPTS = 5;
const RETRY_SECONDS = 5;

/**
 * Grants an offer once: receipt, grant, condition and credit are one ledger commit, which the database refuses when the
 * member's gate, a game account or a withdrawal has changed since it was read.
 * @throws the errors of `decide`; BONUS_FULL, REQUEST_LIMIT (`detail` BUSY), NO_WALLET
 */
export async function grantOffer<Facts extends { gate: ConditionGate }>(
  work: IncentiveDeps,
  member: MemberRef,
  { read, decide, hasConditions, language }: OfferDecision<Facts> & { hasConditions: boolean; language: Language },
): Promise<GrantedOffer<Facts>> {
  const followed = hasConditions ? await refreshConditions(work, member) : undefined;
  if (!followed?.picture) await work.game.refresh(member);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const facts = await read();
    if (facts.gate.version === null) {
      await insertMemberLock(work.database, member.id);
      continue;
    }
    const picture = await loadEligibility(work, work.database, member.id);
    const award = decide(picture, facts);
    const opened = openGrant(work, member, award, picture);
    const command = receiveOfferCommand(opened, { award, bets: picture.bets, gateVersion: facts.gate.version });
    const { outcome } = await retryOnRowLock(() => work.ledger.postCommand(command));
    switch (outcome) {
      case 'applied':
      case 'replayed': {
        const isCounting = picture.open.every(({ state }) => state === 'OPENING');
        const condition = toWireProgress(measure(opened.condition, isCounting), {
          ...withCredit(picture, award),
          language,
        });
        return { grant: opened.grant, condition, facts };
      }
      case 'campaign_exhausted':
        throw new Refusal('BONUS_FULL');
      case 'wallet_suspended':
        throw new Refusal('NO_WALLET', { detail: 'SUSPENDED' });
      case 'stale_read':
        continue;
      case 'row_locked':
        throw busy();
      default:
        return assertNever(outcome);
    }
  }
  throw busy();
}

/** The snapshot after the credit. */
const withCredit = ({ free, total, ...picture }: EligibilitySnapshot, { amount }: OfferAward): EligibilitySnapshot => ({
  ...picture,
  free: minor(free + amount),
  total: minor(total + amount),
});

const busy = (): Refusal => new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: RETRY_SECONDS });

export type OpenedGrant = { grant: Grant; condition: Condition };

function openGrant(
  work: IncentiveDeps,
  member: MemberRef,
  award: OfferAward,
  { bets }: EligibilitySnapshot,
): OpenedGrant {
  const { kind, source, name, amount, condition } = award;
  const createdAt = work.clock.now();
  const common = {
    id: uuidV7(createdAt),
    memberId: member.id,
    currency: member.currency,
    kind,
    name,
    reference: `B${newReference(REFERENCE_CHARACTERS)}`,
  };
  return {
    grant: { ...common, source, amount, state: 'PAID', createdAt },
    condition: {
      ...common,
      ...condition,
      ...conditionAmounts(award, member.currency),
      state: 'ACTIVE',
      turnoverBefore: turnoverNow(bets),
      startedAt: createdAt,
      play: ZERO,
      turnover: ZERO,
      takesBack: null,
      outstandingBefore: ZERO,
      clearAttempt: 0,
    },
  };
}

export const RECEIVE_OUTCOMES = [
  'applied',
  'replayed',
  'wallet_suspended',
  'campaign_exhausted',
  'stale_read',
  'row_locked',
] as const;
export type ReceiveOutcome = (typeof RECEIVE_OUTCOMES)[number];

/** Receipt, grant and condition as one row, and the credit. `commands.offer_receive_admit` explains the outcomes. */
export function receiveOfferCommand(
  { grant, condition }: OpenedGrant,
  {
    award,
    bets,
    gateVersion,
  }: { award: Pick<OfferAward, 'code' | 'depositOperation'>; bets: readonly BetState[]; gateVersion: bigint },
): LedgerCommand<ReceiveOutcome> {
  assertTransition(grantTransitions, 'OPEN', 'PAID');
  assertTransition(conditionTransitions, 'OPENING', 'ACTIVE');
  return {
    kind: 'offer_receive',
    outcomes: RECEIVE_OUTCOMES,
    memberId: grant.memberId,
    claims: [grant.memberId],
    unique: [],
    row: {
      id: grant.id,
      member: grant.memberId,
      gate: String(gateVersion),
      games: Object.fromEntries(bets.map(({ gameCode, version }) => [gameCode, String(version)])),
      code: award.code,
      deposit: String(award.depositOperation),
      currency: grant.currency,
      kind: grant.kind,
      source: grant.source,
      name: grant.name,
      reference: grant.reference,
      amount: String(grant.amount),
      at: grant.createdAt.toISOString(),
      lease_ms: LEASE_MS,
      base: String(condition.base),
      own: String(condition.own),
      target: String(condition.target),
      floor: String(condition.floor),
      percent_success: condition.percentSuccess,
      percent_fail: condition.percentFail,
      turnover_target: condition.turnoverTarget === null ? null : String(condition.turnoverTarget),
      turnover_before: amountsAsText(condition.turnoverBefore),
      expires_at: condition.expiresAt?.toISOString() ?? null,
    },
    groups: [[creditOperation(grant)]],
  };
}

/** JSON numbers would lose digits. */
const amountsAsText = (amounts: Readonly<Record<string, bigint | null>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount === null ? null : String(amount)]));
