import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { Queryable } from '../../platform/database/database.ts';
import { type Bets, gameLedgerKind, WALLET } from '../game/module.ts';
import type { Condition, Standing } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { type Counted, countOnce, type PlayedSince } from './count-play.ts';
import { turnoverCounted, turnoverSince } from './progress.ts';
import { grantKey } from './steps.ts';
import { type CountedUpTo, selectCountedUpTo, selectOpen } from './queries.ts';

/** Where a member's money is and what is known of their bets; under the gate, all of one moment. */
export type Picture = Standing & { bets: readonly Bets[] };

type Reading = Pick<IncentiveWork, 'game' | 'ledger' | 'isWithdrawing'>;

export async function readStanding(work: Reading, on: Queryable, memberId: string): Promise<Picture> {
  // First: from here on no refresh writes, so that what the ledger says next is of the same moment.
  const bets = await work.game.bets(on, memberId);
  // Before the balances: a grant is credited without the gate, and the money of a condition that is ACTIVE must be among them.
  const open = await selectOpen(on, memberId);
  const balances = await work.ledger.balances(memberId, on);
  const wallet = balances.find(({ kind }) => kind === WALLET);
  const total = balances.reduce((sum, { posted }) => sum + posted, 0n);
  const inWallet = wallet?.posted ?? 0n;
  const mayHold = ({ gameCode, outstanding, isMoved }: Bets): boolean =>
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
    isWithdrawing: await work.isWithdrawing(on, memberId),
    bets,
  };
}

const outstandingOf = (bets: readonly Bets[]): Minor =>
  minor(bets.reduce((sum, { outstanding }) => sum + outstanding, 0n));

/** What is credited: play counts from there. */
const isStarted = ({ state }: Condition): boolean => state !== 'OPENING';

/** How the open conditions of a picture stand, and what is counted then: to be written down under the gate. */
export type Count = { counted: Counted[]; upTo: CountedUpTo };

/** Counts what was played for the open conditions of a picture, the oldest first. One that is OPENING stands where it begins. */
export async function countPicture(
  work: Reading,
  on: Queryable,
  memberId: string,
  { open, bets, ...around }: Picture,
): Promise<Count> {
  const before = await selectCountedUpTo(on, memberId);
  const keys = open.filter(isStarted).map(({ id }) => grantKey(id));
  const { plays, read } = await work.ledger.playSince(memberId, { keys, read: before.entries }, on);
  const playedOf = (condition: Condition): PlayedSince => {
    const play = plays.get(grantKey(condition.id));
    return {
      since: { play: play?.since ?? ZERO, turnover: turnoverSince(condition, bets) },
      fresh: { play: play?.fresh ?? ZERO, turnover: turnoverSince(condition, bets, before.turnover) },
    };
  };
  const counted = countOnce(open, playedOf, around);
  // Uncounted play is still fresh.
  const upTo = counted.some(({ isCounting }) => isCounting)
    ? { entries: read, turnover: turnoverCounted(bets, before.turnover) }
    : before;
  return { counted, upTo };
}
