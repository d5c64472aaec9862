import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { memberAccounts } from '../../ledger/index.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { type SnapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import { type BetState, type GameModule, gameLedgerKind, WALLET } from '../game/index.ts';
import type { Condition, Eligibility } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { type AllocatedCondition, allocateTurnover, type PlaySince } from './allocate-turnover.ts';
import { turnoverCounted, turnoverSince } from './progress.ts';
import { grantKey } from './commands.ts';
import { countedUpTo, type AllocatedUpTo, openConditions } from './queries.ts';

/** Where a member's money is and what is known of their bets; under the gate, all of one moment. */
export type EligibilitySnapshot = Eligibility & { bets: readonly BetState[]; countedBefore: AllocatedUpTo };

type Reading = Pick<IncentiveDeps, 'ledger' | 'readFacts'> & { game: Pick<GameModule, 'holdBets'> };

/** @param isWithdrawing of the module of withdrawals @returns reads in one statement what a standing is made of */
export const eligibilityReader = (parts: { bets: GameModule['bets']; isWithdrawing: SnapshotField<boolean> }) =>
  snapshotReader('standing of a member', {
    ...parts,
    open: openConditions,
    holdings: memberAccounts,
    countedBefore: countedUpTo,
  });

export async function loadEligibility(work: Reading, on: Queryable, memberId: string): Promise<EligibilitySnapshot> {
  // First: from here on no refresh writes, so that play is of the same moment.
  if (isTransaction(on)) await work.game.holdBets(on, memberId);
  const { bets, open, holdings: held, isWithdrawing, countedBefore } = await work.readFacts(on, memberId);
  const { balances } = held;
  const wallet = balances.find(({ kind }) => kind === WALLET);
  const total = balances.reduce((sum, { posted }) => sum + posted, 0n);
  const inWallet = wallet?.posted ?? 0n;
  const mayHold = ({ gameCode, outstanding, isMoved }: BetState): boolean =>
    isMoved ||
    outstanding > 0n ||
    balances.some(({ kind, posted }) => kind === gameLedgerKind(gameCode) && posted > 0n);
  return {
    total: minor(total),
    inGames: minor(total - inWallet),
    free: wallet?.free ?? minor(0n),
    outstanding: outstandingOf(bets),
    isCertain: !bets.some((bet) => bet.isStale && mayHold(bet)),
    open,
    isWithdrawing,
    bets,
    countedBefore,
  };
}

const isTransaction = (on: Queryable): on is Tx => 'transaction' in on;

const outstandingOf = (bets: readonly BetState[]): Minor =>
  minor(bets.reduce((sum, { outstanding }) => sum + outstanding, 0n));

/** What is credited: play counts from there. */
const isStarted = ({ state }: Condition): boolean => state !== 'OPENING';

/** Progress of the open conditions of a snapshot, to be saved under the member lock. */
export type Allocation = { counted: AllocatedCondition[]; upTo: AllocatedUpTo };

/** Allocates play to the open conditions of a snapshot, oldest first. One in state OPENING stays at its start. */
export async function allocateSnapshot(
  work: Reading,
  on: Queryable,
  memberId: string,
  { open, bets, countedBefore: before, ...around }: EligibilitySnapshot,
): Promise<Allocation> {
  const keys = open.filter(isStarted).map(({ id }) => grantKey(id));
  const { plays, read } = await work.ledger.playSince(memberId, { keys, read: before.entries }, on);
  const playedOf = (condition: Condition): PlaySince => {
    const play = plays.get(grantKey(condition.id));
    return {
      since: { play: play?.since ?? ZERO, turnover: turnoverSince(condition, bets) },
      fresh: { play: play?.fresh ?? ZERO, turnover: turnoverSince(condition, bets, before.turnover) },
    };
  };
  const counted = allocateTurnover(open, playedOf, around);
  // Uncounted play is still fresh.
  const upTo = counted.some(({ isCounting }) => isCounting)
    ? { entries: read, turnover: turnoverCounted(bets, before.turnover) }
    : before;
  return { counted, upTo };
}
