import type { Tx } from '../../platform/database/database.ts';
import { type SnapshotField, snapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import {
  type CoinCredit,
  lockPurse,
  advancePurse,
  type UnseenPurse,
  unseenPurse,
  PurseBusy,
  savePurse,
} from './queries.ts';
import { type Purse, coinPrice, type SpinwheelDeps, type SpinMember } from './spinwheel.ts';
import { selectFirstPublished } from './wheel-queries.ts';

const MOVES_AT_ONCE = 200;
/** An amount that was set too small does not make millions. */
const COINS_PER_DEPOSIT_MAX = 10_000n;

/**
 * Locks the member's purse and adds the coins of deposits since the last time: a coin for each whole `coinPer` (minor
 * units; 0: none) in each. Money that was withdrawn and deposited again earns none. Coins are derived from the ledger,
 * so that no notification is needed and none are lost or added twice.
 * @returns the coins
 */
export async function collectCoins(
  tx: Tx,
  ledger: SpinwheelDeps['ledger'],
  { id }: SpinMember,
  coinPer: bigint,
): Promise<number> {
  const purse = await lockPurse(tx, id);
  let { coins, seen, ...money } = purse;
  const brought: CoinCredit[] = [];
  for (let isMore = true; isMore;) {
    const moves = await ledger.cashAfter(id, seen, tx, MOVES_AT_ONCE);
    const since = moves.length > 0 ? await selectFirstPublished(tx) : undefined;
    for (const { operationId, amount, at, seq } of moves) {
      const { fresh, ...after } = applyCashFlow(money, amount);
      money = after;
      // Deposits from before there was a wheel bring nothing.
      const earned = since === undefined || at < since ? 0 : coinsFor(fresh, coinPer);
      coins += earned;
      if (earned > 0) brought.push({ source: `deposit:${operationId}`, coins: earned, coinsAfter: coins });
      seen = seq;
    }
    isMore = moves.length === MOVES_AT_ONCE;
  }
  if (seen > purse.seen) await savePurse(tx, id, { coins, seen, ...money }, brought);
  return coins;
}

type Money = Pick<Purse, 'paidIn' | 'owed'>;

/**
 * What money that came in (+) or was paid out (−) makes of a purse: of what was paid in and is withdrawn, the next deposits owe
 * as much. `fresh` is the part of a deposit that owes nothing; winnings that are withdrawn owe nothing either.
 */
export function applyCashFlow({ paidIn, owed }: Money, amount: bigint): Money & { fresh: bigint } {
  if (amount < 0n) {
    const back = -amount < paidIn ? -amount : paidIn;
    return { paidIn: paidIn - back, owed: owed + back, fresh: 0n };
  }
  const paidOff = amount < owed ? amount : owed;
  return { paidIn: paidIn + amount, owed: owed - paidOff, fresh: amount - paidOff };
}

function coinsFor(amount: bigint, coinPer: bigint): number {
  const coins = coinPer > 0n ? amount / coinPer : 0n;
  return Number(coins > COINS_PER_DEPOSIT_MAX ? COINS_PER_DEPOSIT_MAX : coins);
}

/** Entries that are read again each time instead of being marked as seen. */
const LOOKED_AT_AGAIN = 64n;

type Deps = Pick<SpinwheelDeps, 'database' | 'ledger' | 'operatorData'>;

/**
 * The member's coins. Writes after a deposit or a payout, and once in many movements of other kinds; while the purse is
 * locked for long, the previous number.
 */
export const coins = (deps: Deps): SnapshotField<(member: SpinMember) => Promise<number>> =>
  snapshotField(unseenPurse.sql, (json: never) => (member) => countCoins(deps, member, unseenPurse.read(json)));

const readPurse = snapshotReader('purse and what is ahead of it', { purse: unseenPurse });

/** Reads the coins in its own query. */
export async function readCoins(deps: Deps, member: SpinMember): Promise<number> {
  const { purse } = await readPurse(deps.database, member.id);
  return countCoins(deps, member, purse);
}

/** Coins of a purse, after collecting those of new deposits. */
export async function countCoins(deps: Deps, member: SpinMember, purse: UnseenPurse): Promise<number> {
  const { ahead, seen } = purse;
  if (ahead && !ahead.isAny && ahead.upTo - seen >= LOOKED_AT_AGAIN) {
    await advancePurse(deps.database, member.id, seen, ahead.upTo);
  }
  if (!ahead?.isAny) return purse.coins;
  const coinPer = await coinPrice(deps, member);
  try {
    return await deps.database.tx((tx) => collectCoins(tx, deps.ledger, member, coinPer));
  } catch (error) {
    if (error instanceof PurseBusy) return purse.coins;
    throw error;
  }
}
