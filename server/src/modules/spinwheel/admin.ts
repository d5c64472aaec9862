import { type Database, type Queryable, violatedConstraint } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { currenciesWithoutPrize } from '../bonus/index.ts';
import {
  markHandedOver,
  selectOpenGoods,
  insertWheel,
  markInactive,
  selectActiveWheel,
  selectWheelText,
} from './wheel-queries.ts';
import { type Coupon, isCouponId, type Wheel, wheelShape } from './spinwheel.ts';
import { type CoinMovement, lockPurse, moveCoins, selectMovements, selectPurse } from './queries.ts';

/** The wheel that is spun. */
export const activeWheel = (on: Queryable): Promise<Wheel | undefined> => selectActiveWheel(on);

/** A version as the file that it was published from; undefined when there is none. */
export const wheelFile = (on: Queryable, version: number): Promise<unknown> => selectWheelText(on, version);

/** Faults of a wheel to be published, one per line; empty when it is valid. */
export async function validateWheel(on: Queryable, content: unknown): Promise<string[]> {
  const { error, data } = wheelShape.safeParse(content);
  if (error) return error.issues.map(({ path, message }) => `${path.join('.') || 'the file'}: ${message}`);
  const faults: string[] = [];
  for (const { code, prize } of data.slices) {
    if (prize.kind !== 'BONUS') continue;
    // A winner of any currency has to be able to claim it.
    const missing = (await currenciesWithoutPrize(on, prize.bonus)).join(' and ');
    if (missing)
      faults.push(
        `${code}: no bonus ${prize.bonus} gives a fixed amount in ${missing}: see \`npm run krapao -- offers\``,
      );
  }
  return faults;
}

/** Publishes a wheel: it holds from the next spin on. @returns its version */
export function publishWheel(database: Database, content: unknown, signature: Signature): Promise<number> {
  return database.tx(async (tx) => {
    const version = await insertWheel(tx, content);
    await logOperator(tx, signature, { what: 'wheel publish', subject: `wheel ${version}` });
    return version;
  });
}

/** Withdraws a version: the newest remaining one is spun. @returns false when there is none, or it is withdrawn already */
export function retireWheel(database: Database, version: number, signature: Signature): Promise<boolean> {
  return database.tx(async (tx) => {
    if (!(await markInactive(tx, version))) return false;
    await logOperator(tx, signature, { what: 'wheel retire', subject: `wheel ${version}` });
    return true;
  });
}

/** Coupons for goods that wait to be handed over, oldest first. */
export const waitingGoods = (on: Queryable): Promise<Coupon[]> => selectOpenGoods(on);

/** Goods have been handed over. @returns false when no coupon for goods waits by this id */
export async function markGoodsHandedOver(database: Database, id: string, signature: Signature): Promise<boolean> {
  if (!isCouponId(id)) return false;
  return database.tx(async (tx) => {
    if (!(await markHandedOver(tx, id))) return false;
    await logOperator(tx, signature, { what: 'wheel hand', subject: id });
    return true;
  });
}

/** A member's coins and their latest changes, newest first. Excludes deposits that the server has not processed yet. */
export async function readPurse(
  on: Queryable,
  memberId: string,
): Promise<{ coins: number; movements: CoinMovement[] }> {
  const { coins } = await selectPurse(on, memberId);
  return { coins, movements: await selectMovements(on, memberId) };
}

/**
 * Adds coins to a member or removes some (below 0), and logs who did it and why.
 * @param id of this change: the same one is applied once
 * @returns the coins afterwards; undefined when the member has too few
 */
export async function changeCoins(
  database: Database,
  { id, memberId, coins }: { id: string; memberId: string; coins: number },
  signature: Signature,
): Promise<number | undefined> {
  try {
    return await database.tx(async (tx) => {
      await lockPurse(tx, memberId);
      const after = await moveCoins(tx, memberId, `operator:${id}`, coins);
      await logOperator(tx, signature, { what: `coins ${coins > 0 ? '+' : ''}${coins}`, subject: memberId });
      return after;
    });
  } catch (error) {
    if (violatedConstraint(error) === 'spinwheel_purse_not_below_zero') return undefined;
    throw error;
  }
}
