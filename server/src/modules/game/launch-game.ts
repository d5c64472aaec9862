import { Refusal } from '../../platform/refusal.ts';
import { findGameAccount } from './find-game-account.ts';
import type { Trace } from './game.ts';
import { type GameAccess, providerNamed } from './game-access.ts';
import { insertReveal } from './queries.ts';
import { settlePassword } from './settle-password.ts';

export type LaunchRequest = {
  memberId: string;
  code: string;
  /** As the path says; must be the caller's own. */
  username: string;
  language: 'th' | 'en';
  trace: Trace;
};

/**
 * A link that opens the game signed in as the member, with the password that we keep.
 * @throws NO_GAME, SLOT_NO_ACCOUNT, INVALID_USER_3, GAME_ACTIVATION_FAIL
 */
export async function launchGame(access: GameAccess, request: LaunchRequest): Promise<{ link: string }> {
  const { game, account } = await findGameAccount(access.database, request.memberId, request.code);
  if (account.username !== request.username) throw new Refusal('INVALID_USER_3');
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const provider = providerNamed(access, account.provider);
  const { password } = await settlePassword(access, account);
  const launched = await provider.launch({
    username: account.username,
    password,
    game: game.providerGame,
    language: request.language,
    returnUrl: access.publicUrl,
  });
  if (launched.outcome !== 'done') {
    const detail = launched.outcome === 'unknown' ? 'PROVIDER_SILENT' : 'LAUNCH_REFUSED';
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail });
  }
  // Such a link holds the password.
  if (game.launchNeedsPassword) await insertReveal(access.database, account, 'launch', request.trace);
  return launched.value;
}
