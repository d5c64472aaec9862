import type { Database, Queryable } from '../../platform/database/database.ts';
import { violatedConstraint } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/start/operator-log.ts';
import { lockPurse, moveCoins, selectMovements, type CoinMovement, selectPurse } from './queries.ts';

/** A member's coins, and their newest changes, newest first. Deposits that the server has not looked at yet are not in it. */
export async function purseOf(on: Queryable, memberId: string): Promise<{ coins: number; movements: CoinMovement[] }> {
  const { coins } = await selectPurse(on, memberId);
  return { coins, movements: await selectMovements(on, memberId) };
}

/**
 * Gives a member coins, or takes some away (below 0), and writes down who did it and why.
 * @param id names this change: the same one happens once
 * @returns the coins afterwards; undefined when they have fewer than are taken
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
