import { findGameAccount } from './find-game-account.ts';
import type { GameCredentials, Viewer } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { insertReveal } from './queries.ts';
import { credentialsOf } from './credentials-of.ts';
import { settlePassword } from './settle-password.ts';

/** Shows username and password, and writes down that it did. Throws NO_GAME, SLOT_NO_ACCOUNT. */
export async function revealGameAccount(
  access: GameAccess,
  memberId: string,
  code: string,
  viewer: Viewer,
): Promise<GameCredentials> {
  const { account } = await findGameAccount(access.database, memberId, code);
  const { password } = await settlePassword(access, account);
  await insertReveal(access.database, account, 'account', viewer);
  return credentialsOf(access, account, password, viewer);
}
