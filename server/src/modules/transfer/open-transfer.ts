import type { Tx } from '../../platform/database/database.ts';
import { violatedConstraint } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { type Game, type GameAccount, toCredits } from '../game/module.ts';
import { insertLeg, insertTransfer } from './queries.ts';
import { type Leg, legsOf, type Transfer } from './transfer.ts';
import { leaseMs, type TransferWork } from './transfer-work.ts';

export type End = { game: Game; account: GameAccount };

/**
 * Inserts a transfer, with its legs and the reservation of their game accounts, in one transaction and before any call goes
 * out. Undefined: the key is used by now.
 * @throws REQUEST_LIMIT another transfer of one of the game accounts is under way; then nothing is kept
 */
export async function openTransfer(
  work: TransferWork,
  wanted: Transfer,
  ends: ReadonlyMap<string, End>,
  idempotencyKey: string,
): Promise<Leg[] | undefined> {
  try {
    return await work.database.tx(async (tx) =>
      (await insertTransfer(tx, wanted, idempotencyKey)) ? insertLegs(work, tx, wanted, ends) : undefined,
    );
  } catch (error) {
    if (violatedConstraint(error) === 'transfer_leg_under_way') throw underWay();
    throw error;
  }
}

async function insertLegs(
  work: TransferWork,
  tx: Tx,
  wanted: Transfer,
  ends: ReadonlyMap<string, End>,
): Promise<Leg[]> {
  const legs = legsOf(wanted.source, wanted.target);
  const inserted: Leg[] = [];
  // In one order for everybody, so that two transfers between the same games don't wait for each other in a circle.
  for (const gameCode of legs.map((leg) => leg.gameCode).toSorted()) {
    const free = await work.game.occupy(tx, { memberId: wanted.memberId, gameCode }, wanted.reference);
    if (!free) throw underWay();
  }
  for (const [index, { gameCode, direction }] of legs.entries()) {
    const { game, account } = ends.get(gameCode) as End;
    const timeoutMs = work.providers.get(account.provider)?.timeoutMs ?? 0;
    const leg = (index + 1) as 1 | 2;
    const row = {
      transferId: wanted.id,
      leg,
      memberId: wanted.memberId,
      gameCode,
      ftWalletSlot: game.ftWalletSlot,
      direction,
      amount: wanted.amount,
      credits: toCredits(wanted.amount, game.ftWalletSlot),
      // Where the account is, whatever the game's row says by now.
      provider: account.provider,
      username: account.username,
      providerReference: `${wanted.reference}-${leg}`,
    };
    inserted.push(await insertLeg(tx, row, leaseMs(timeoutMs)));
  }
  return inserted;
}

export const underWay = (): Refusal =>
  new Refusal('REQUEST_LIMIT', { detail: 'TRANSFER_IN_PROGRESS', retryAfterSeconds: 5 });
