import { Refusal } from '../../platform/errors.ts';
import type { Refused, Unknown } from '../../adapters/game/port.ts';
import { findGameAccount } from './list-games.ts';
import { type CredentialViewer, type GameDeps, requireProvider } from './game.ts';
import { insertReveal } from './queries.ts';
import { resolvePassword } from './credentials.ts';

export type LaunchRequest = {
  memberId: string;
  code: string;
  /** As the path says; must be the caller's own. */
  username: string;
  viewer: CredentialViewer;
};

/**
 * A link that opens the game signed in as the member, with the password that we keep.
 * @throws NO_GAME, SLOT_NO_ACCOUNT, INVALID_USER_3, GAME_ACTIVATION_FAIL
 */
export async function launchGame(access: GameDeps, request: LaunchRequest): Promise<{ link: string }> {
  const { game, account } = await findGameAccount(access.database, request.memberId, request.code);
  if (account.username !== request.username) throw new Refusal('INVALID_USER_3');
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const { launch } = requireProvider(access, account.provider);
  if (launch.kind !== 'link') throw new Refusal('NO_GAME', { detail: 'NOT_BY_LINK' });
  const { password } = await resolvePassword(access, account);
  const launched = await launch.open({
    username: account.username,
    password,
    game: game.providerGame,
    language: request.viewer.language,
    returnUrl: request.viewer.rewriteAddress(access.publicUrl),
  });
  if (launched.outcome !== 'done') {
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: detailOf(launched) });
  }
  // Such a link holds the password.
  if (launch.needsPassword) await insertReveal(access.database, account, 'launch', request.viewer);
  return { link: request.viewer.rewriteAddress(launched.value.link) };
}

function detailOf(launched: Refused | Unknown): string {
  if (launched.outcome === 'unknown') return 'PROVIDER_SILENT';
  if (launched.reason === 'maintenance') return 'MAINTENANCE';
  return launched.reason === 'unreachable' ? 'PROVIDER_UNREACHABLE' : 'LAUNCH_REFUSED';
}
