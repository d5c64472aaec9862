import { type Minor, minor } from '@krapao/contract/money';
import type { Queryable } from '../../platform/database.ts';
import { type Bets, gameLedgerKind, WALLET } from '../game/module.ts';
import type { Standing } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { measure, type Measured } from './progress.ts';
import { selectOpen } from './queries.ts';

/** Where a member's money is and what is known of their bets; under the gate, all of one moment. */
export type Picture = Standing & { bets: readonly Bets[] };

type Reading = Pick<IncentiveWork, 'game' | 'ledger' | 'isWithdrawing'>;

export async function readStanding(work: Reading, on: Queryable, memberId: string): Promise<Picture> {
  // First: from here on no refresh writes, so that what the ledger says next is of the same moment.
  const bets = await work.game.bets(on, memberId);
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
    open: await selectOpen(on, memberId),
    isWithdrawing: await work.isWithdrawing(on, memberId),
    bets,
  };
}

const outstandingOf = (bets: readonly Bets[]): Minor =>
  minor(bets.reduce((sum, { outstanding }) => sum + outstanding, 0n));

/** How the open conditions of a picture stand. One that is OPENING stands where it begins. */
export async function measureOpen(
  work: Reading,
  on: Queryable,
  memberId: string,
  picture: Picture,
): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const condition of picture.open) {
    const { startedOperation } = condition;
    const play = startedOperation === null ? 0n : await work.ledger.playAfter(memberId, startedOperation, on);
    measured.push(measure(condition, play, picture.bets));
  }
  return measured;
}
