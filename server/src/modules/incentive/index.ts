import type { Language } from '@krapao/contract/languages';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/errors.ts';
import { singleFlight } from '../../platform/jobs/concurrency.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import type { GameModule } from '../game/index.ts';
import { cancelBonus, cancelCondition, type CancelResult, cancelExpired, takeBack } from './clear-bonus.ts';
import { creditGrant, postEnding } from './commands.ts';
import { endConditions, refreshConditions, withdrawalBlock } from './conditions.ts';
import { type GrantDecision, grantAward, type GrantedOffer, grantOffer, type OfferDecision } from './grant.ts';
import { conditionEnd, selectDescribed, selectEnded } from './history-queries.ts';
import {
  type Condition,
  type ConditionKind,
  type ConditionProgress,
  type ConditionRefusal,
  type GrantDescription,
  type EndedCondition,
  type Grant,
  type MemberRef,
  isBonus,
  type Eligibility,
} from './incentive.ts';
import { allocateSnapshot, eligibilityReader, loadEligibility } from './load-eligibility.ts';
import { memberLock, type IncentiveDeps } from './member-lock.ts';
import { cancelPreview, toWireProgress, isExpired } from './progress.ts';
import {
  type ConditionGate,
  insertMemberLock,
  selectOpenConditions,
  selectOpenGrants,
  claimConditions,
  claimOpenGrants,
  conditionWorkTable,
  grantWorkTable,
} from './queries.ts';

export { findGrantTimeline } from './timeline-queries.ts';
export { type GrantTotals, hadBonusIn, sumGrants } from './history-queries.ts';
export {
  type Award,
  type Condition,
  type ConditionKind,
  type ConditionProgress,
  type ConditionTerms,
  type GrantDescription,
  type EndedCondition,
  type Grant,
  type MemberRef,
  type Eligibility,
  type LocalizedText,
  conditionAmounts,
  sameInAllLanguages,
} from './incentive.ts';

export { incentiveQueue, type ConditionGate, memberLockVersion } from './queries.ts';
export { DuplicateGrant, type GrantedOffer, type OfferAward } from './grant.ts';
export { asCreditPending, CreditPending } from './commands.ts';

/** Single entry point for money that the operator grants to members, and for its conditions. */
export type IncentiveModule = {
  /**
   * Grants once. First refreshes the games and ends conditions that are due. Then holds the member lock while `decide`
   * runs: its rows, the grant and the condition are one commit. The credit is posted afterwards; after a crash a job
   * posts it. `decide` gets the transaction, the eligibility under the lock, and the facts read before. An exception
   * rolls everything back.
   * @returns the grant, in state PAID
   * @throws the errors of `decide`; BONUS_ALREADY_ACTIVE; REQUEST_LIMIT (a condition, while a withdrawal is pending);
   *   NO_WALLET; {CreditPending} if the grant is stored but not posted (it stays OPEN); {DuplicateGrant} if the source
   *   has already granted and `decide` did not detect it
   */
  grant(member: MemberRef, decide: GrantDecision<undefined>['decide']): Promise<Grant>;
  grant<Facts>(member: MemberRef, decision: GrantDecision<Facts>): Promise<Grant>;
  /**
   * Grants a bonus or promotion on a deposit, in one commit with its receipt and credit.
   * @throws the errors of `decide`; BONUS_FULL, REQUEST_LIMIT (`detail` BUSY), NO_WALLET
   */
  grantOffer<Facts extends { gate: ConditionGate }>(
    member: MemberRef,
    decision: OfferDecision<Facts> & { hasConditions: boolean; language: Language },
  ): Promise<GrantedOffer<Facts>>;
  /** Grants of a kind whose credit is not confirmed yet. */
  openGrants(memberId: string, kind: ConditionKind): Promise<Grant[]>;
  /** Posts an open grant to the ledger. @throws {CreditPending} */
  completeGrant(grant: Grant): Promise<Grant>;
  /**
   * Refreshes the games if a condition is open, ends conditions that are met or lost, and returns the progress of the
   * other conditions.
   */
  refreshProgress(member: MemberRef, language: Language): Promise<ConditionProgress[]>;
  /** A member's eligibility from stored data, without querying the games. */
  eligibility(memberId: string): Promise<Eligibility>;
  /** Progress of open conditions from stored data, without querying the games. */
  storedProgress(memberId: string, language: Language): Promise<ConditionProgress[]>;
  /**
   * The active bonus or promotion, and the amounts that cancelling it would take back and leave, from stored data;
   * undefined without one.
   */
  activeBonus(memberId: string, language: Language): Promise<ActiveBonus | undefined>;
  /**
   * Conditions that ended without a member action in the last days, newest first. First ends conditions that are met or
   * lost by stored data, without refreshing the games.
   */
  listEnded(member: MemberRef): Promise<EndedCondition[]>;
  /**
   * Cancels the active bonus or promotion: sweeps the money into the wallet, and takes back the remaining bonus and its
   * winnings.
   * @throws NO_DATA (none is active), BONUS_REMAINING (`detail` OPEN_BETS, GAMES_NOT_BROUGHT)
   */
  cancelBonus(member: MemberRef): Promise<CancelResult>;
  /**
   * Cancels any open condition by its reference. A replay returns the same amount that was taken back.
   * @throws the errors of `clear`
   */
  cancelCondition(member: MemberRef, reference: string): Promise<CancelResult>;
  /** Creates the lock row of a member without one. Until then its version reads as null. */
  createMemberLock(memberId: string): Promise<void>;
  /**
   * Refusal of a withdrawal by an open condition, after refreshing the games; undefined without an open condition.
   * `detail` has its progress, such as `CURRENT=150.00 TARGET=600.00`, and `TURNOVER` and `TURNOVER_TARGET` if turnover
   * counts.
   * @throws NO_WALLET
   */
  withdrawalRefusal(member: MemberRef): Promise<ConditionRefusal | undefined>;
  /** Kind, name and end of grants by reference, for the statement. */
  describeGrants(
    memberId: string,
    references: readonly string[],
    on?: Queryable,
  ): Promise<ReadonlyMap<string, GrantDescription>>;
  /**
   * Registers the check for a pending withdrawal, which every eligibility includes. Must be called before the first
   * grant.
   */
  registerWithdrawals(isWithdrawing: SnapshotField<boolean>): void;
  /** Starts the jobs that credit open grants and check due conditions. */
  start(): void;
  stop(): Promise<void>;
};

export type ActiveBonus = { condition: Condition; progress: ConditionProgress; takesBack: bigint; keeps: bigint };

export type IncentiveModuleDeps = Omit<IncentiveDeps, 'withMemberLock' | 'readEligibilityFields' | 'game'> & {
  game: IncentiveDeps['game'] & Pick<GameModule, 'betStates'>;
};

/** Creates the incentive module. It has no endpoints: other modules decide about grants. */
export function incentiveModule(options: IncentiveModuleDeps): IncentiveModule {
  let eligibilityFields: IncentiveDeps['readEligibilityFields'] | undefined;
  const readEligibilityFields: IncentiveDeps['readEligibilityFields'] = (on, memberId) => {
    if (!eligibilityFields) throw new Error('no module has registered its withdrawals');
    return eligibilityFields(on, memberId);
  };
  const deps: IncentiveDeps = { ...options, readEligibilityFields, withMemberLock: memberLock(options.database) };
  const { database } = deps;
  let jobs: Job[] = [];
  const clearOnce = singleFlight<CancelResult>();
  return {
    grant: <Facts>(member: MemberRef, decision: GrantDecision<Facts> | GrantDecision<undefined>['decide']) =>
      typeof decision === 'function'
        ? grantAward(deps, member, { readFacts: async () => undefined, decide: decision })
        : grantAward(deps, member, decision),
    grantOffer: (member, decision) => grantOffer(deps, member, decision),
    openGrants: (memberId, kind) => selectOpenGrants(database, memberId, kind),
    completeGrant: (grant) => creditGrant(deps, grant),
    refreshProgress: async (member, language) => {
      const { open, eligibility } = await refreshConditions(deps, member);
      return eligibility ? open.map((condition) => toWireProgress(condition, { ...eligibility, language })) : [];
    },
    eligibility: (memberId) => loadEligibility(deps, database, memberId),
    storedProgress: async (memberId, language) => {
      const eligibility = await loadEligibility(deps, database, memberId);
      const { counted: allocated } = await allocateSnapshot(deps, database, memberId, eligibility);
      return allocated.map((condition) => toWireProgress(condition, { ...eligibility, language }));
    },
    listEnded: async (member) => {
      await endConditions(deps, member.id);
      return selectEnded(database, member.id, deps.clock.now());
    },
    activeBonus: async (memberId, language) => {
      if (!(await selectOpenConditions(database, memberId)).some(isBonus)) return undefined;
      const eligibility = await loadEligibility(deps, database, memberId);
      const { counted: allocated } = await allocateSnapshot(deps, database, memberId, eligibility);
      const activeCondition = allocated.find((condition) => isBonus(condition.condition));
      if (!activeCondition) return undefined;
      const progress = toWireProgress(activeCondition, { ...eligibility, language });
      return { condition: activeCondition.condition, progress, ...cancelPreview(activeCondition, eligibility) };
    },
    cancelBonus: (member) => clearOnce(member.id, () => cancelBonus(deps, member)),
    cancelCondition: (member, reference) =>
      clearOnce(`${member.id} ${reference}`, () => cancelCondition(deps, member, reference)),
    createMemberLock: (memberId) => insertMemberLock(database, memberId),
    withdrawalRefusal: (member) => withdrawalBlock(deps, member),
    describeGrants: async (memberId, references, on = database) => {
      const rows = await selectDescribed(on, memberId, references);
      const now = deps.clock.now();
      return new Map(
        rows.map(({ reference, kind, name, ...endFields }) => [
          reference,
          { kind, name, end: conditionEnd(endFields, now) },
        ]),
      );
    },
    registerWithdrawals: (isWithdrawing) => {
      eligibilityFields = eligibilityReader({ bets: options.game.betStates, isWithdrawing });
    },
    start: () => {
      if (jobs.length === 0) jobs = watchIncentives(deps);
    },
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
      jobs = [];
    },
  };
}

/** Checks that wait for the same providers. Low, because they would delay active members. */
const CONDITION_CONCURRENCY = 2;
const GRANT_CONCURRENCY = 4;

/** Starts the jobs that credit open grants, and check due conditions of members who are not active. */
export function watchIncentives(deps: IncentiveDeps): Job[] {
  const grantWorker = startPollingWorker({
    name: 'credit grants',
    concurrency: GRANT_CONCURRENCY,
    claim: (limit) => claimOpenGrants(deps.database, limit),
    handle: (grant) => creditGrant(deps, grant),
    failed: failedWork(deps.database, grantWorkTable),
    keyOf: ({ id }) => id,
    log: deps.log,
    failureMessage: 'crediting a grant failed',
    logFields: ({ reference }) => ({ reference }),
  });
  const conditionWorker = startPollingWorker({
    name: 'follow conditions',
    concurrency: CONDITION_CONCURRENCY,
    claim: (share, inProgress) => claimConditions(deps.database, share, inProgress),
    partitionsOf: ({ waitsFor }) => [waitsFor],
    handle: (condition) => handleDueCondition(deps, condition),
    failed: failedWork(deps.database, conditionWorkTable),
    keyOf: ({ id }) => id,
    log: deps.log,
    failureMessage: 'play for a condition not measured',
    logFields: ({ reference }) => ({ reference }),
  });
  return [grantWorker, conditionWorker];
}

async function handleDueCondition(deps: IncentiveDeps, condition: Condition): Promise<void> {
  if (condition.state !== 'ACTIVE' && condition.state !== 'CLEARING') return postEnding(deps, condition);
  try {
    if (condition.state === 'CLEARING') await takeBack(deps, condition);
    else if (isExpired(condition, deps.clock.now())) await cancelExpired(deps, condition);
    else await refreshConditions(deps, { id: condition.memberId, currency: condition.currency });
  } catch (error) {
    // A suspended wallet, or money moved into a game concurrently, is not a failure of the job.
    if (!(error instanceof Refusal)) throw error;
  }
}
