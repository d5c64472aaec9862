import { type SnapshotField, snapshotField, snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  type CoinCredit,
  lockPurse,
  advancePurse,
  type PurseWithUnseenEntries,
  unseenPurse,
  PurseBusy,
  savePurse,
} from './queries.ts';
import { type Purse, coinPrice, type SpinwheelDeps, type SpinMember } from './spinwheel.ts';
import { selectFirstPublished } from './wheel-queries.ts';

const CASH_FLOWS_PER_READ = 200;
/** Limits the damage if the operator sets a too small amount per coin. */
const COINS_PER_DEPOSIT_MAX = 10_000n;

/**
 * Locks the member's purse and adds coins for deposits since the last call: one for each whole `amountPerCoin` (minor units;
 * 0: none) of a deposit. Money that is withdrawn and deposited again earns no coins. Coins are derived from the ledger,
 * so that no notification is needed and no coin is lost or added twice.
 * @returns the coins
 */
export async function collectCoins(
  tx: Tx,
  ledger: SpinwheelDeps['ledger'],
  { id }: SpinMember,
  amountPerCoin: bigint,
): Promise<number> {
  const purse = await lockPurse(tx, id);
  let { coins, seen, ...balances } = purse;
  const coinCredits: CoinCredit[] = [];
  for (let isMore = true; isMore;) {
    const cashFlows = await ledger.cashAfter(id, seen, tx, CASH_FLOWS_PER_READ);
    const firstPublishedAt = cashFlows.length > 0 ? await selectFirstPublished(tx) : undefined;
    for (const { operationId, amount, at, seq } of cashFlows) {
      const { earningAmount: amountEarningCoins, ...balancesAfter } = applyCashFlow(balances, amount);
      balances = balancesAfter;
      // Deposits before the first published wheel earn no coins.
      const earnedCoins =
        firstPublishedAt === undefined || at < firstPublishedAt ? 0 : coinsFor(amountEarningCoins, amountPerCoin);
      coins += earnedCoins;
      if (earnedCoins > 0)
        coinCredits.push({ source: `deposit:${operationId}`, coins: earnedCoins, coinsAfter: coins });
      seen = seq;
    }
    isMore = cashFlows.length === CASH_FLOWS_PER_READ;
  }
  if (seen > purse.seen) await savePurse(tx, id, { coins, seen, ...balances }, coinCredits);
  return coins;
}

type PurseBalances = Pick<Purse, 'paidIn' | 'owed'>;

/**
 * Applies a deposit (+) or payout (−) to the purse balances. Withdrawn deposits are added to `owed`, and later deposits
 * repay that amount first. `earningAmount` is the rest of a deposit, which earns coins. Withdrawn winnings are not owed.
 */
export function applyCashFlow(
  { paidIn, owed }: PurseBalances,
  amount: bigint,
): PurseBalances & { earningAmount: bigint } {
  if (amount < 0n) {
    const withdrawnDeposits = -amount < paidIn ? -amount : paidIn;
    return { paidIn: paidIn - withdrawnDeposits, owed: owed + withdrawnDeposits, earningAmount: 0n };
  }
  const repaidAmount = amount < owed ? amount : owed;
  return { paidIn: paidIn + amount, owed: owed - repaidAmount, earningAmount: amount - repaidAmount };
}

function coinsFor(amount: bigint, amountPerCoin: bigint): number {
  const coins = amountPerCoin > 0n ? amount / amountPerCoin : 0n;
  return Number(coins > COINS_PER_DEPOSIT_MAX ? COINS_PER_DEPOSIT_MAX : coins);
}

/** Number of entries without deposits that are read again, before they are stored as seen. */
const REREAD_ENTRIES = 64n;

type CoinDeps = Pick<SpinwheelDeps, 'database' | 'ledger' | 'readOperatorData'>;

/**
 * The member's coins as a snapshot field. Writes only after a deposit or payout, and after many other entries. While
 * the purse is locked for long, returns the previous number.
 */
export const coinsField = (deps: CoinDeps): SnapshotField<(member: SpinMember) => Promise<number>> =>
  snapshotField(unseenPurse.sql, (json: never) => (member) => countCoins(deps, member, unseenPurse.read(json)));

const readPurse = snapshotReader('purse and what is ahead of it', { purse: unseenPurse });

/** Reads the coins in a separate query. */
export async function readCoins(deps: CoinDeps, member: SpinMember): Promise<number> {
  const { purse } = await readPurse(deps.database, member.id);
  return countCoins(deps, member, purse);
}

/** Coins of a purse, new deposits included. */
export async function countCoins(deps: CoinDeps, member: SpinMember, purse: PurseWithUnseenEntries): Promise<number> {
  const { ahead, seen } = purse;
  if (ahead && !ahead.isAny && ahead.upTo - seen >= REREAD_ENTRIES) {
    await advancePurse(deps.database, member.id, seen, ahead.upTo);
  }
  if (!ahead?.isAny) return purse.coins;
  const amountPerCoin = await coinPrice(deps, member);
  try {
    return await deps.database.tx((tx) => collectCoins(tx, deps.ledger, member, amountPerCoin));
  } catch (error) {
    if (error instanceof PurseBusy) return purse.coins;
    throw error;
  }
}
