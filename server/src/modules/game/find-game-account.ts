import type { Queryable } from '../../platform/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Game, GameAccount } from './game.ts';
import { selectAccount, selectAccounts, selectGame, selectGames } from './queries.ts';

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

/** The games that members see in which a member has an open account, in the operator's order. */
export async function openAccountsOf(on: Queryable, memberId: string): Promise<{ game: Game; account: GameAccount }[]> {
  const [games, accounts] = await Promise.all([selectGames(on), selectAccounts(on, memberId)]);
  return games.flatMap((game) => {
    const account = accounts.find(({ gameCode }) => gameCode === game.code);
    return account ? [{ game, account }] : [];
  });
}
