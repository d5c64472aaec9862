import { type Minor, ZERO } from '@krapao/contract/money';
import type { Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { canMoveOut, type Game, type GameAccount, gameLedgerKind, isInSight } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { selectAccount, selectAccounts, selectGame, selectGames } from './queries.ts';

/** A game and the member's open account there. */
export type Open = { game: Game; account: GameAccount };

/** A game that is offered and the caller's open account there. Throws NO_GAME, SLOT_NO_ACCOUNT. */
export async function findGameAccount(on: Queryable, memberId: string, code: string): Promise<Open> {
  const found = await findSource(on, memberId, code);
  if (found.game.isHidden) throw new Refusal('NO_GAME');
  return found;
}

/** The same, also where the game is offered no more: money is brought home from there. */
export async function findSource(on: Queryable, memberId: string, code: string): Promise<Open> {
  const game = await selectGame(on, code);
  if (!game) throw new Refusal('NO_GAME');
  const account = await selectAccount(on, { memberId, gameCode: code });
  if (account?.state === 'ACTIVE') return { game, account };
  throw new Refusal(game.isHidden ? 'NO_GAME' : 'SLOT_NO_ACCOUNT');
}

/** Ledger balance of a game account: `amount` is free, `canMoveOut`: it can be moved now. */
export type GameBalance = Open & { amount: Minor; canMoveOut: boolean };

/** Visible games with an open account, in the operator's order; also hidden ones that may have unread bets. */
export async function gameBalancesOf(
  { database, ledger, providers }: Pick<GameAccess, 'database' | 'ledger' | 'providers'>,
  memberId: string,
): Promise<GameBalance[]> {
  const [games, accounts] = await Promise.all([selectGames(database), selectAccounts(database, memberId)]);
  // After the accounts: what changes one of them raises its version, and what was read here is not believed.
  const balances = await ledger.balances(memberId);
  return games.flatMap((game) => {
    const account = accounts.find(({ gameCode }) => gameCode === game.code);
    const balance = balances.find(({ kind }) => kind === gameLedgerKind(game.code));
    const isShown = account && (isInSight(game, account, balance?.posted ?? ZERO) || !account.areBetsKnown);
    if (!isShown) return [];
    const isMovable = canMoveOut(game, account, providers.get(account.provider));
    return [{ game, account, amount: balance?.free ?? ZERO, canMoveOut: isMovable }];
  });
}
