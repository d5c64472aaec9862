import type { Language } from '@krapao/contract/languages';
import type { Queryable } from '../../platform/database/database.ts';
import type { SnapshotPart } from '../../platform/database/member-snapshot.ts';
import type { Job } from '../../platform/jobs/job.ts';
import { singleFlight } from '../../platform/jobs/single-flight.ts';
import type { GameModule } from '../game/module.ts';
import { clearBonus, cancelCondition, type Cleared } from './clear-bonus.ts';
import { endKnown, followConditions, withdrawCondition } from './follow-conditions.ts';
import { type Decision, grantAward } from './grant-award.ts';
import { type GrantedOffer, grantOffer, type OfferDecision } from './grant-offer.ts';
import {
  type Condition,
  type ConditionKind,
  type ConditionProgress,
  type ConditionRefusal,
  type Described,
  type Ended,
  type Grant,
  type Holder,
  isBonus,
  type Standing,
} from './incentive.ts';
import { gatekeeper, type IncentiveWork } from './incentive-work.ts';
import { payGrant } from './pay-grant.ts';
import { ifCleared, shown } from './progress.ts';
import { endOf, selectDescribed, selectEnded } from './history-queries.ts';
import { type ConditionGate, insertGate, selectOpen, selectOpenGrants } from './queries.ts';
import { countPicture, factsReader, readStanding } from './read-standing.ts';
import { watchIncentives } from './watch-incentives.ts';

export { type Given, hadBonus, sumGiven } from './history-queries.ts';
export type {
  Award,
  Condition,
  ConditionKind,
  ConditionProgress,
  ConditionTerms,
  Described,
  Ended,
  Grant,
  Holder,
  Standing,
  Words,
} from './incentive.ts';

export { incentiveQueue } from './queries.ts';
export { amountsOf, inAll, PARTS, partsOf, roundedDown } from './incentive.ts';
export { AlreadyGiven } from './grant-award.ts';
export { type ConditionGate, conditionGate } from './queries.ts';
export type { GrantedOffer, OfferAward } from './grant-offer.ts';
export { notConfirmed, Uncredited } from './pay-grant.ts';

/** The one door for all money that the house gives, and the conditions that come with it. */
export type IncentiveModule = {
  /**
   * Gives once. First asks the games and ends conditions that are due, then holds the member's gate while `decide`
   * reads and writes: its rows, the grant and the condition are one commit. Then the ledger is posted; after a crash in
   * between a job finishes it. `decide` gets the transaction and the standing as it is under the gate, and what `see` has
   * read before it; what either throws undoes everything.
   * @returns the grant, PAID
   * @throws what `decide` throws; BONUS_ALREADY_ACTIVE; REQUEST_LIMIT (a condition, while a withdrawal is under way);
   * NO_WALLET; {Uncredited} when it is decided but could not be posted (it stays OPEN); {AlreadyGiven} when the source
   * has already given and `decide` did not find it
   */
  grant(member: Holder, decide: Decision<undefined>['decide']): Promise<Grant>;
  grant<Seen>(member: Holder, decision: Decision<Seen>): Promise<Grant>;
  /**
   * Grants a bonus or promotion on a deposit, in one commit with its receipt and credit.
   * @throws the errors of `decide`; BONUS_FULL, REQUEST_LIMIT (`detail` BUSY), NO_WALLET
   */
  grantOffer<Facts extends { gate: ConditionGate }>(
    member: Holder,
    decision: OfferDecision<Facts> & { hasConditions: boolean; language: Language },
  ): Promise<GrantedOffer<Facts>>;
  /** Grants of a kind whose money is not in the wallet yet. */
  openGrants(memberId: string, kind: ConditionKind): Promise<Grant[]>;
  /** Tells the ledger of an open grant. @throws {Uncredited} */
  finish(grant: Grant): Promise<Grant>;
  /** Asks the games when a condition is open, ends conditions that are met or lost, and returns the progress of the others. */
  follow(member: Holder, language: Language): Promise<ConditionProgress[]>;
  /** A member's eligibility from stored data, without querying the games. */
  eligibility(memberId: string): Promise<Standing>;
  /** Progress of open conditions from stored data, without querying the games. */
  storedProgress(memberId: string, language: Language): Promise<ConditionProgress[]>;
  /** The open bonus or promotion, and what giving it up would do as known now; undefined when there is none. */
  activeBonus(memberId: string, language: Language): Promise<ActiveBonus | undefined>;
  /**
   * Conditions that ended by themselves in the last days, newest first. Those that are over by what is known end first; the
   * games are not asked.
   */
  ended(member: Holder): Promise<Ended[]>;
  /**
   * Gives the open bonus or promotion up: sweeps the money into the wallet, takes back what is left of the bonus and its winnings.
   * @throws NO_DATA (none is active), BONUS_REMAINING (`detail` OPEN_BETS, GAMES_NOT_BROUGHT)
   */
  clear(member: Holder): Promise<Cleared>;
  /**
   * Cancels any open condition by its reference. A replay returns the same `takenBack`.
   * @throws the same as `clear`
   */
  cancelCondition(member: Holder, reference: string): Promise<Cleared>;
  /** Creates the gate of a member who has none: `conditionGate` reads no version then. */
  openGate(memberId: string): Promise<void>;
  /**
   * What an open condition refuses a withdrawal with, after the games were asked. `detail` says how it stands:
   * `CURRENT=150.00 TARGET=600.00`, with `TURNOVER` and `TURNOVER_TARGET` where that counts; undefined when nothing is open.
   * Throws NO_WALLET.
   */
  withdrawCondition(member: Holder): Promise<ConditionRefusal | undefined>;
  /** What was given, and how its condition ended, by reference, for the statement. */
  describe(memberId: string, references: readonly string[], on?: Queryable): Promise<ReadonlyMap<string, Described>>;
  /** Registers the check for a withdrawal under way, a part of every standing. No condition is given before that. */
  registerWithdrawals(isUnderWay: SnapshotPart<boolean>): void;
  /** Starts finishing what was left behind. */
  start(): void;
  stop(): Promise<void>;
};

export type ActiveBonus = { condition: Condition; progress: ConditionProgress; takesBack: bigint; keeps: bigint };

export type IncentiveModuleDeps = Omit<IncentiveWork, 'underGate' | 'readFacts' | 'game'> & {
  game: IncentiveWork['game'] & Pick<GameModule, 'bets'>;
};

/** Creates the incentive module. It has no endpoints: its callers decide what is given, and for what. */
export function incentiveModule(given: IncentiveModuleDeps): IncentiveModule {
  let read: IncentiveWork['readFacts'] | undefined;
  const readFacts: IncentiveWork['readFacts'] = (on, memberId) => {
    if (!read) throw new Error('no module has registered its withdrawals');
    return read(on, memberId);
  };
  const work: IncentiveWork = { ...given, readFacts, underGate: gatekeeper(given.database) };
  const { database } = work;
  let jobs: Job[] = [];
  const clearInTurn = singleFlight<Cleared>();
  return {
    grant: <Seen>(member: Holder, how: Decision<Seen> | Decision<undefined>['decide']) =>
      typeof how === 'function'
        ? grantAward(work, member, { see: async () => undefined, decide: how })
        : grantAward(work, member, how),
    grantOffer: (member, decision) => grantOffer(work, member, decision),
    openGrants: (memberId, kind) => selectOpenGrants(database, memberId, kind),
    finish: (grant) => payGrant(work, grant),
    follow: async (member, language) => {
      const { open, picture } = await followConditions(work, member);
      return picture ? open.map((one) => shown(one, { ...picture, language })) : [];
    },
    eligibility: (memberId) => readStanding(work, database, memberId),
    storedProgress: async (memberId, language) => {
      const picture = await readStanding(work, database, memberId);
      const { counted } = await countPicture(work, database, memberId, picture);
      return counted.map((one) => shown(one, { ...picture, language }));
    },
    ended: async (member) => {
      await endKnown(work, member.id);
      return selectEnded(database, member.id, work.clock.now());
    },
    activeBonus: async (memberId, language) => {
      if (!(await selectOpen(database, memberId)).some(isBonus)) return undefined;
      const picture = await readStanding(work, database, memberId);
      const { counted } = await countPicture(work, database, memberId, picture);
      const found = counted.find((one) => isBonus(one.condition));
      if (!found) return undefined;
      const progress = shown(found, { ...picture, language });
      return { condition: found.condition, progress, ...ifCleared(found, picture) };
    },
    clear: (member) => clearInTurn(member.id, () => clearBonus(work, member)),
    cancelCondition: (member, reference) =>
      clearInTurn(`${member.id} ${reference}`, () => cancelCondition(work, member, reference)),
    openGate: (memberId) => insertGate(database, memberId),
    withdrawCondition: (member) => withdrawCondition(work, member),
    describe: async (memberId, references, on = database) => {
      const rows = await selectDescribed(on, memberId, references);
      const now = work.clock.now();
      return new Map(
        rows.map(({ reference, kind, name, ...ended }) => [reference, { kind, name, end: endOf(ended, now) }]),
      );
    },
    registerWithdrawals: (isWithdrawing) => {
      read = factsReader({ bets: given.game.bets, isWithdrawing });
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
