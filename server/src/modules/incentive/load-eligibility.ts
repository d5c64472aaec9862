import { type Minor, minor, ZERO } from '@krapao/contract/money';
import { memberAccounts } from '../../ledger/index.ts';
import { type SnapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { type BetState, type GameModule, gameLedgerKind, WALLET } from '../game/index.ts';
import { type AllocatedCondition, allocateTurnover, type PlaySince } from './allocate-turnover.ts';
import { grantKey } from './commands.ts';
import type { Condition, Eligibility } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { turnoverCounted, turnoverSince } from './progress.ts';
import { allocationPositions, type AllocationPositions, openConditions } from './queries.ts';

/** A member's eligibility and bets. Under the member lock all data are of the same moment. */
export type EligibilitySnapshot = Eligibility & { bets: readonly BetState[]; countedBefore: AllocationPositions };

type EligibilityDeps = Pick<IncentiveDeps, 'ledger' | 'readEligibilityFields'> & { game: Pick<GameModule, 'lockBets'> };

/**
 * Returns a function that reads all eligibility fields in one statement.
 * @param fields fields of other modules
 */
export const eligibilityReader = (fields: { bets: GameModule['betStates']; isWithdrawing: SnapshotField<boolean> }) =>
  snapshotReader('standing of a member', {
    ...fields,
    open: openConditions,
    holdings: memberAccounts,
    countedBefore: allocationPositions,
  });

export async function loadEligibility(
  deps: EligibilityDeps,
  on: Queryable,
  memberId: string,
): Promise<EligibilitySnapshot> {
  // Locks the bets first: no refresh writes from here on, so that play is of the same moment.
  if (isTransaction(on)) await deps.game.lockBets(on, memberId);
  const { bets, open, holdings, isWithdrawing, countedBefore } = await deps.readEligibilityFields(on, memberId);
  const { balances } = holdings;
  const wallet = balances.find(({ kind }) => kind === WALLET);
  const total = balances.reduce((total, { posted }) => total + posted, 0n);
  const walletBalance = wallet?.posted ?? 0n;
  const mayHoldMoney = ({ gameCode, outstanding, isMoved }: BetState): boolean =>
    isMoved ||
    outstanding > 0n ||
    balances.some(({ kind, posted }) => kind === gameLedgerKind(gameCode) && posted > 0n);
  return {
    total: minor(total),
    inGames: minor(total - walletBalance),
    free: wallet?.free ?? minor(0n),
    outstanding: totalOutstanding(bets),
    isCertain: !bets.some((bet) => bet.isStale && mayHoldMoney(bet)),
    open,
    isWithdrawing,
    bets,
    countedBefore,
  };
}

const isTransaction = (on: Queryable): on is Tx => 'transaction' in on;

const totalOutstanding = (bets: readonly BetState[]): Minor =>
  minor(bets.reduce((sum, { outstanding }) => sum + outstanding, 0n));

/** Whether the grant is credited: play counts after the credit. */
const isCredited = ({ state }: Condition): boolean => state !== 'OPENING';

/** Progress of the open conditions, to be saved under the member lock. */
export type AllocationResult = { counted: AllocatedCondition[]; upTo: AllocationPositions };

/** Allocates play to the open conditions, oldest first. A condition in state OPENING has no play. */
export async function allocateSnapshot(
  deps: EligibilityDeps,
  on: Queryable,
  memberId: string,
  { open, bets, countedBefore, ...funds }: EligibilitySnapshot,
): Promise<AllocationResult> {
  const operationKeys = open.filter(isCredited).map(({ id }) => grantKey(id));
  const { plays, readPositions } = await deps.ledger.playSince(
    memberId,
    { keys: operationKeys, read: countedBefore.entries },
    on,
  );
  const playSinceOf = (condition: Condition): PlaySince => {
    const play = plays.get(grantKey(condition.id));
    return {
      since: { play: play?.since ?? ZERO, turnover: turnoverSince(condition, bets) },
      fresh: { play: play?.fresh ?? ZERO, turnover: turnoverSince(condition, bets, countedBefore.turnover) },
    };
  };
  const allocated = allocateTurnover(open, playSinceOf, funds);
  // Without a counting condition, play stays uncounted.
  const upTo = allocated.some(({ isCounting }) => isCounting)
    ? { entries: readPositions, turnover: turnoverCounted(bets, countedBefore.turnover) }
    : countedBefore;
  return { counted: allocated, upTo };
}
