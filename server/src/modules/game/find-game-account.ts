import type { Queryable } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Game, GameAccount } from './game.ts';
import { selectAccount, selectGame } from './queries.ts';

/** A game and the caller's open account there. Throws NO_GAME, SLOT_NO_ACCOUNT. */
export async function findGameAccount(
  on: Queryable,
  memberId: string,
  code: string,
): Promise<{ game: Game; account: GameAccount }> {
  const game = await selectGame(on, code);
  if (!game) throw new Refusal('NO_GAME');
  const account = await selectAccount(on, { memberId, gameCode: code });
  if (account?.state !== 'ACTIVE') throw new Refusal('SLOT_NO_ACCOUNT');
  return { game, account };
}
