import type { Language } from '@krapao/contract/languages';
import type { Queryable } from '../../platform/database/database.ts';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { singleFlight } from '../../platform/jobs/concurrency.ts';
import type { GameModule } from '../game/index.ts';
import { cancelBonus, cancelCondition, type CancelResult, cancelExpired, takeBack } from './clear-bonus.ts';
import { endConditions, refreshConditions, withdrawalBlock } from './conditions.ts';
import { type GrantDecision, grantAward, type GrantedOffer, grantOffer, type OfferDecision } from './grant.ts';
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
import { memberLock, type IncentiveDeps } from './member-lock.ts';
import { creditGrant, postEnding } from './commands.ts';
import { cancelPreview, toWireProgress, isExpired } from './progress.ts';
import { conditionEnd, selectDescribed, selectEnded } from './history-queries.ts';
import {
  type ConditionGate,
  insertMemberLock,
  selectOpen,
  selectOpenGrants,
  claimConditions,
  claimOpenGrants,
  conditionWork,
  grantWork,
} from './queries.ts';
import { allocateSnapshot, eligibilityReader, loadEligibility } from './load-eligibility.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { Refusal } from '../../platform/errors.ts';

export { findGrantTimeline } from './money-queries.ts';
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
  sameInAll,
  BASIS_POINTS,
  toBasisPoints,
  floorToStep,
} from './incentive.ts';

export { incentiveQueue, type ConditionGate, memberLockVersion } from './queries.ts';
export { DuplicateGrant, type GrantedOffer, type OfferAward } from './grant.ts';
export { asCreditPending, CreditPending } from './commands.ts';

/** The one door for all money that the house gives, and the conditions that come with it. */
export type IncentiveModule = {
  /**
   * Grants once. First refreshes the games and ends conditions that are due, then holds the member lock while `decide`
   * reads and writes: its rows, the grant and the condition are one commit. Then the ledger is posted; after a crash in
   * between a job finishes it. `decide` gets the transaction, the eligibility under the lock, and what `see` has read
   * before; an exception of either rolls everything back.
   * @returns the grant, PAID
   * @throws what `decide` throws; BONUS_ALREADY_ACTIVE; REQUEST_LIMIT (a condition, while a withdrawal is pending);
   *   NO_WALLET; {CreditPending} when it is decided but could not be posted (it stays OPEN); {DuplicateGrant} when the
   *   source has already granted and `decide` did not find it
   */
  grant(member: MemberRef, decide: GrantDecision<undefined>['decide']): Promise<Grant>;
  grant<Seen>(member: MemberRef, decision: GrantDecision<Seen>): Promise<Grant>;
  /**
   * Grants a bonus or promotion on a deposit, in one commit with its receipt and credit.
   * @throws the errors of `decide`; BONUS_FULL, REQUEST_LIMIT (`detail` BUSY), NO_WALLET
   */
  grantOffer<Facts extends { gate: ConditionGate }>(
    member: MemberRef,
    decision: OfferDecision<Facts> & { hasConditions: boolean; language: Language },
  ): Promise<GrantedOffer<Facts>>;
  /** Grants of a kind whose money is not in the wallet yet. */
  openGrants(memberId: string, kind: ConditionKind): Promise<Grant[]>;
  /** Posts an open grant to the ledger. @throws {CreditPending} */
  finish(grant: Grant): Promise<Grant>;
  /** Asks the games when a condition is open, ends conditions that are met or lost, and returns the progress of the others. */
  follow(member: MemberRef, language: Language): Promise<ConditionProgress[]>;
  /** A member's eligibility from stored data, without querying the games. */
  eligibility(memberId: string): Promise<Eligibility>;
  /** Progress of open conditions from stored data, without querying the games. */
  storedProgress(memberId: string, language: Language): Promise<ConditionProgress[]>;
  /** The open bonus or promotion, and what giving it up would do as known now; undefined when there is none. */
  activeBonus(memberId: string, language: Language): Promise<ActiveBonus | undefined>;
  /**
   * Conditions that ended without a member action in the last days, newest first. First ends those that are over by
   * known data; does not refresh the games.
   */
  ended(member: MemberRef): Promise<EndedCondition[]>;
  /**
   * Gives the open bonus or promotion up: sweeps the money into the wallet, takes back what is left of the bonus and its winnings.
   * @throws NO_DATA (none is active), BONUS_REMAINING (`detail` OPEN_BETS, GAMES_NOT_BROUGHT)
   */
  clear(member: MemberRef): Promise<CancelResult>;
  /**
   * Cancels any open condition by its reference. A replay returns the same `takenBack`.
   * @throws the same as `clear`
   */
  cancelCondition(member: MemberRef, reference: string): Promise<CancelResult>;
  /** Creates the lock row of a member without one; until then `conditionGate` reads no version. */
  openGate(memberId: string): Promise<void>;
  /**
   * Refusal of a withdrawal by an open condition, after refreshing the games. `detail` has its progress:
   * `CURRENT=150.00 TARGET=600.00`, with `TURNOVER` and `TURNOVER_TARGET` where that counts; undefined when nothing is
   * open.
   * @throws NO_WALLET
   */
  withdrawCondition(member: MemberRef): Promise<ConditionRefusal | undefined>;
  /** What was granted, and how its condition ended, by reference, for the statement. */
  describe(
    memberId: string,
    references: readonly string[],
    on?: Queryable,
  ): Promise<ReadonlyMap<string, GrantDescription>>;
  /**
   * Registers the check for a pending withdrawal, a field of every eligibility. No condition is granted before that.
   */
  registerWithdrawals(isUnderWay: SnapshotField<boolean>): void;
  /** Starts finishing what was left behind. */
  start(): void;
  stop(): Promise<void>;
};

export type ActiveBonus = { condition: Condition; progress: ConditionProgress; takesBack: bigint; keeps: bigint };

export type IncentiveModuleDeps = Omit<IncentiveDeps, 'underGate' | 'readFacts' | 'game'> & {
  game: IncentiveDeps['game'] & Pick<GameModule, 'bets'>;
};

/** Creates the incentive module. It has no endpoints: its callers decide what is granted, and for what. */
export function incentiveModule(options: IncentiveModuleDeps): IncentiveModule {
  let read: IncentiveDeps['readFacts'] | undefined;
  const readFacts: IncentiveDeps['readFacts'] = (on, memberId) => {
    if (!read) throw new Error('no module has registered its withdrawals');
    return read(on, memberId);
  };
  const work: IncentiveDeps = { ...options, readFacts, underGate: memberLock(options.database) };
  const { database } = work;
  let jobs: Job[] = [];
  const clearInTurn = singleFlight<CancelResult>();
  return {
    grant: <Seen>(member: MemberRef, how: GrantDecision<Seen> | GrantDecision<undefined>['decide']) =>
      typeof how === 'function'
        ? grantAward(work, member, { see: async () => undefined, decide: how })
        : grantAward(work, member, how),
    grantOffer: (member, decision) => grantOffer(work, member, decision),
    openGrants: (memberId, kind) => selectOpenGrants(database, memberId, kind),
    finish: (grant) => creditGrant(work, grant),
    follow: async (member, language) => {
      const { open, picture } = await refreshConditions(work, member);
      return picture ? open.map((one) => toWireProgress(one, { ...picture, language })) : [];
    },
    eligibility: (memberId) => loadEligibility(work, database, memberId),
    storedProgress: async (memberId, language) => {
      const picture = await loadEligibility(work, database, memberId);
      const { counted } = await allocateSnapshot(work, database, memberId, picture);
      return counted.map((one) => toWireProgress(one, { ...picture, language }));
    },
    ended: async (member) => {
      await endConditions(work, member.id);
      return selectEnded(database, member.id, work.clock.now());
    },
    activeBonus: async (memberId, language) => {
      if (!(await selectOpen(database, memberId)).some(isBonus)) return undefined;
      const picture = await loadEligibility(work, database, memberId);
      const { counted } = await allocateSnapshot(work, database, memberId, picture);
      const found = counted.find((one) => isBonus(one.condition));
      if (!found) return undefined;
      const progress = toWireProgress(found, { ...picture, language });
      return { condition: found.condition, progress, ...cancelPreview(found, picture) };
    },
    clear: (member) => clearInTurn(member.id, () => cancelBonus(work, member)),
    cancelCondition: (member, reference) =>
      clearInTurn(`${member.id} ${reference}`, () => cancelCondition(work, member, reference)),
    openGate: (memberId) => insertMemberLock(database, memberId),
    withdrawCondition: (member) => withdrawalBlock(work, member),
    describe: async (memberId, references, on = database) => {
      const rows = await selectDescribed(on, memberId, references);
      const now = work.clock.now();
      return new Map(
        rows.map(({ reference, kind, name, ...ended }) => [reference, { kind, name, end: conditionEnd(ended, now) }]),
      );
    },
    registerWithdrawals: (isWithdrawing) => {
      read = eligibilityReader({ bets: options.game.bets, isWithdrawing });
    },
    start: () => {
      if (jobs.length === 0) jobs = watchIncentives(work);
    },
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()));
      jobs = [];
    },
  };
}

/** Each refreshes games: more concurrent ones would delay active members. */
const CONDITIONS_AT_ONCE = 2;
const GRANTS_AT_ONCE = 4;

/** Finishes grants that were left open, and looks after conditions of members who don't come. */
export function watchIncentives(work: IncentiveDeps): Job[] {
  const grants = startPollingWorker({
    name: 'credit grants',
    concurrency: GRANTS_AT_ONCE,
    claim: (limit) => claimOpenGrants(work.database, limit),
    handle: (grant) => creditGrant(work, grant),
    failed: failedWork(work.database, grantWork),
    keyOf: ({ id }) => id,
    log: work.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a grant could not be credited' }),
  });
  const conditions = startPollingWorker({
    name: 'follow conditions',
    concurrency: CONDITIONS_AT_ONCE,
    claim: (limit) => claimConditions(work.database, limit),
    handle: (condition) => lookAfter(work, condition),
    failed: failedWork(work.database, conditionWork),
    keyOf: ({ id }) => id,
    log: work.log,
    failure: ({ reference }) => ({ fields: { reference }, message: 'a condition could not be followed' }),
  });
  return [grants, conditions];
}

async function lookAfter(work: IncentiveDeps, condition: Condition): Promise<void> {
  if (condition.state !== 'ACTIVE' && condition.state !== 'CLEARING') return postEnding(work, condition);
  try {
    if (condition.state === 'CLEARING') await takeBack(work, condition);
    else if (isExpired(condition, work.clock.now())) await cancelExpired(work, condition);
    else await refreshConditions(work, { id: condition.memberId, currency: condition.currency });
  } catch (error) {
    // A suspended wallet, or money that has moved into a game: the member's affair, not a failure.
    if (!(error instanceof Refusal)) throw error;
  }
}
