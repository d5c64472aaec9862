import type { Language } from '@krapao/contract/languages';
import { ZERO, minor } from '@krapao/contract/money';
import { conditionTransitions, grantTransitions } from '@krapao/contract/states';
import { type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { Refusal, assertNever } from '../../platform/errors.ts';
import { newReference, uuidV7 } from '../../platform/ids.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { BetState } from '../game/index.ts';
import { creditGrant, creditOperation } from './commands.ts';
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
import { type EligibilitySnapshot, loadEligibility } from './load-eligibility.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { currentTurnover, measureCondition, toWireProgress } from './progress.ts';
import { insertCondition, insertGrant, type ConditionGate, insertMemberLock, LEASE_MS } from './queries.ts';

/** Length of a grant's reference without its leading letter. */
export const REFERENCE_CHARACTERS = 13;

/** The source has already granted. `decide` should have detected it. */
export class DuplicateGrant extends Error {
  override readonly name = 'AlreadyGiven';
}

/** How a grant is decided, in the transaction that holds the member lock. */
export type GrantDecision<Facts> = {
  /** Runs before eligibility is read: money that arrives in between is counted in the eligibility only. */
  readFacts: (tx: Tx) => Promise<Facts>;
  decide: (tx: Tx, eligibility: Eligibility, facts: Facts) => Promise<Award>;
};

/**
 * Grants once: decides, inserts the grant and its condition in the same commit, then credits the grant.
 * @throws the errors of `decide`; BONUS_ALREADY_ACTIVE, REQUEST_LIMIT (a condition would block a pending withdrawal),
 *   NO_WALLET, {CreditPending}, {DuplicateGrant}
 */
export async function grantAward<Facts>(
  deps: IncentiveDeps,
  member: MemberRef,
  decision: GrantDecision<Facts>,
): Promise<Grant> {
  const { eligibility } = await refreshConditions(deps, member);
  if (!eligibility) await deps.game.refresh(member);
  const grant = await decideOnce(deps, member, decision);
  return creditGrant(deps, grant);
}

async function decideOnce<Facts>(
  deps: IncentiveDeps,
  member: MemberRef,
  { readFacts, decide }: GrantDecision<Facts>,
): Promise<Grant> {
  try {
    return await deps.withMemberLock(member.id, async (tx) => {
      const facts = await readFacts(tx);
      const eligibility = await loadEligibility(deps, tx, member.id);
      return insertGrantAndCondition(deps, tx, { member, award: await decide(tx, eligibility, facts), eligibility });
    });
  } catch (error) {
    const constraint = violatedConstraint(error);
    if (constraint === 'incentive_condition_one_bonus') throw new Refusal('BONUS_ALREADY_ACTIVE', { cause: error });
    if (constraint === 'incentive_grant_once')
      throw new DuplicateGrant('this source has given before', { cause: error });
    throw error;
  }
}

async function insertGrantAndCondition(
  deps: IncentiveDeps,
  tx: Tx,
  { member, award, eligibility }: { member: MemberRef; award: Award; eligibility: EligibilitySnapshot },
): Promise<Grant> {
  const { condition, kind, source, name, amount } = award;
  if (condition && eligibility.isWithdrawing) throw new Refusal('REQUEST_LIMIT', { detail: 'WITHDRAW_IN_PROGRESS' });
  const createdAt = deps.clock.now();
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
    const requiredAmounts = conditionAmounts({ amount, condition }, member.currency);
    // For a grant on a deposit, open bets may be stakes of that deposit, so their payout is not the member's own money.
    const outstandingBefore = condition.own === ZERO ? eligibility.outstanding : ZERO;
    const turnoverBefore = currentTurnover(eligibility.bets);
    await insertCondition(tx, grant, { ...condition, ...requiredAmounts, turnoverBefore, outstandingBefore });
  }
  return grant;
}

/** A bonus or promotion on a deposit, with the ledger operation of the deposit. */
export type OfferAward = Award & {
  condition: NonNullable<Award['condition']>;
  code: string;
  depositOperation: bigint;
};

/** How an offer is decided. Optimistic: both functions run again if their data changed before the commit. */
export type OfferDecision<Facts extends { gate: ConditionGate }> = {
  /** Runs before eligibility is read: a deposit that commits in between counts as remaining money. */
  readFacts: () => Promise<Facts>;
  decide: (eligibility: Eligibility, facts: Facts) => OfferAward;
};

export type GrantedOffer<Facts> = { grant: Grant; condition: ConditionProgress; facts: Facts };

/** Only concurrent commands of the same member cause a retry. */
const ATTEMPTS_MAX = 5;
const RETRY_SECONDS = 5;

/**
 * Grants an offer once. Receipt, grant, condition and credit are one ledger commit. The database refuses it if the
 * member lock, a game account or a withdrawal has changed since it was read.
 * @throws the errors of `decide`; BONUS_FULL, REQUEST_LIMIT (`detail` BUSY), NO_WALLET
 */
export async function grantOffer<Facts extends { gate: ConditionGate }>(
  deps: IncentiveDeps,
  member: MemberRef,
  { readFacts, decide, hasConditions, language }: OfferDecision<Facts> & { hasConditions: boolean; language: Language },
): Promise<GrantedOffer<Facts>> {
  const refreshed = hasConditions ? await refreshConditions(deps, member) : undefined;
  if (!refreshed?.eligibility) await deps.game.refresh(member);
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt += 1) {
    const facts = await readFacts();
    if (facts.gate.version === null) {
      await insertMemberLock(deps.database, member.id);
      continue;
    }
    const eligibility = await loadEligibility(deps, deps.database, member.id);
    const award = decide(eligibility, facts);
    const openedGrant = openGrant(deps, member, award, eligibility);
    const command = claimOfferCommand(openedGrant, {
      award,
      bets: eligibility.bets,
      gateVersion: facts.gate.version,
    });
    const { outcome } = await retryOnRowLock(() => deps.ledger.postCommand(command));
    switch (outcome) {
      case 'applied':
      case 'replayed': {
        const isCounting = eligibility.open.every(({ state }) => state === 'OPENING');
        const condition = toWireProgress(measureCondition(openedGrant.condition, isCounting), {
          ...withCredit(eligibility, award),
          language,
        });
        return { grant: openedGrant.grant, condition, facts };
      }
      case 'campaign_exhausted':
        throw new Refusal('BONUS_FULL');
      case 'wallet_suspended':
        throw new Refusal('NO_WALLET', { detail: 'SUSPENDED' });
      case 'stale_read':
        continue;
      case 'row_locked':
        throw busyRefusal();
      default:
        return assertNever(outcome);
    }
  }
  throw busyRefusal();
}

/** The eligibility after the credit. */
const withCredit = (
  { free, total, ...eligibility }: EligibilitySnapshot,
  { amount }: OfferAward,
): EligibilitySnapshot => ({
  ...eligibility,
  free: minor(free + amount),
  total: minor(total + amount),
});

const busyRefusal = (): Refusal => new Refusal('REQUEST_LIMIT', { detail: 'BUSY', retryAfterSeconds: RETRY_SECONDS });

export type OpenedGrant = { grant: Grant; condition: Condition };

function openGrant(
  deps: IncentiveDeps,
  member: MemberRef,
  award: OfferAward,
  { bets }: EligibilitySnapshot,
): OpenedGrant {
  const { kind, source, name, amount, condition } = award;
  const createdAt = deps.clock.now();
  const commonFields = {
    id: uuidV7(createdAt),
    memberId: member.id,
    currency: member.currency,
    kind,
    name,
    reference: `B${newReference(REFERENCE_CHARACTERS)}`,
  };
  return {
    grant: { ...commonFields, source, amount, state: 'PAID', createdAt },
    condition: {
      ...commonFields,
      ...condition,
      ...conditionAmounts(award, member.currency),
      state: 'ACTIVE',
      turnoverBefore: currentTurnover(bets),
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

/**
 * Stores receipt, grant and condition as one row, and credits the grant. The outcomes are explained in
 * `commands.offer_receive_admit`.
 */
export function claimOfferCommand(
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

/** JSON numbers would lose digits, so amounts are strings. */
const amountsAsText = (amounts: Readonly<Record<string, bigint | null>>): Record<string, string | null> =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, amount === null ? null : String(amount)]));
