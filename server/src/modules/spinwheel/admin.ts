import { type Database, type Queryable, type Tx, violatedConstraint } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { currenciesWithoutPrize } from '../bonus/index.ts';
import { type CoinMovement, lockPurse, moveCoins, selectMovements, selectPurse } from './queries.ts';
import { type Coupon, isCouponId, type Wheel, wheelShape } from './spinwheel.ts';
import {
  markHandedOver,
  selectOpenGoods,
  insertWheel,
  markInactive,
  selectActiveWheel,
  selectWheelText,
} from './wheel-queries.ts';

/** The active wheel version. */
export const activeWheel = (on: Queryable): Promise<Wheel | undefined> => selectActiveWheel(on);

/** A version as its published file; undefined if the version does not exist. */
export const wheelFile = (on: Queryable, version: number): Promise<unknown> => selectWheelText(on, version);

/** Returns the problems of a wheel file, one per line; empty if the wheel is valid. */
export async function validateWheel(on: Queryable, content: unknown): Promise<string[]> {
  const { error, data } = wheelShape.safeParse(content);
  if (error) return error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const problems: string[] = [];
  for (const { code, prize } of data.slices) {
    if (prize.kind !== 'BONUS') continue;
    // Members of every currency must be able to claim the prize.
    const missingCurrencies = (await currenciesWithoutPrize(on, prize.bonus)).join(' and ');
    if (missingCurrencies)
      problems.push(
        `${code}: no bonus ${prize.bonus} gives a fixed amount in ${missingCurrencies}: see \`krapao offers\``,
      );
  }
  return problems;
}

/** Publishes a wheel, which applies from the next spin. @returns its version */
export async function publishWheel(tx: Tx, content: unknown, signature: Signature): Promise<number> {
  const version = await insertWheel(tx, content);
  await logOperator(tx, signature, { what: 'wheel publish', subject: `wheel ${version}` });
  return version;
}

/**
 * Withdraws a version; the newest remaining version becomes active. @returns false if it does not exist or is already
 * withdrawn
 */
export async function retireWheel(tx: Tx, version: number, signature: Signature): Promise<boolean> {
  if (!(await markInactive(tx, version))) return false;
  await logOperator(tx, signature, { what: 'wheel retire', subject: `wheel ${version}` });
  return true;
}

/** Coupons for goods that are not handed over yet, oldest first. */
export const openGoodsCoupons = (on: Queryable): Promise<Coupon[]> => selectOpenGoods(on);

/** Records that goods were handed over. @returns false if no coupon for goods with this id is open */
export async function markGoodsHandedOver(database: Database, id: string, signature: Signature): Promise<boolean> {
  if (!isCouponId(id)) return false;
  return database.tx(async (tx) => {
    if (!(await markHandedOver(tx, id))) return false;
    await logOperator(tx, signature, { what: 'wheel hand', subject: id });
    return true;
  });
}

/** A member's coins and latest coin changes, newest first. Excludes deposits that are not processed yet. */
export async function readPurse(
  on: Queryable,
  memberId: string,
): Promise<{ coins: number; movements: CoinMovement[] }> {
  const { coins } = await selectPurse(on, memberId);
  return { coins, movements: await selectMovements(on, memberId) };
}

/**
 * Adds coins to a member, or removes them (negative), and logs the operator and the reason.
 * @param id of the change: a repeated id is applied once
 * @returns the coins afterwards; undefined if the member has too few
 */
export async function changeCoins(
  database: Database,
  { id, memberId, coins }: { id: string; memberId: string; coins: number },
  signature: Signature,
): Promise<number | undefined> {
  try {
    return await database.tx(async (tx) => {
      await lockPurse(tx, memberId);
      const coinsAfter = await moveCoins(tx, memberId, `operator:${id}`, coins);
      await logOperator(tx, signature, { what: `coins ${coins > 0 ? '+' : ''}${coins}`, subject: memberId });
      return coinsAfter;
    });
  } catch (error) {
    if (violatedConstraint(error) === 'spinwheel_purse_not_below_zero') return undefined;
    throw error;
  }
}
