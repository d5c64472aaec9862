import { Refusal } from '../../platform/errors.ts';
import type { Refused, Unknown } from '../../adapters/game/port.ts';
import { findGameAccount } from './list-games.ts';
import { type CredentialViewer, type GameDeps, requireProvider } from './game.ts';
import { insertReveal } from './queries.ts';
import { resolvePassword } from './credentials.ts';

export type LaunchRequest = {
  memberId: string;
  code: string;
  /** From the path; must be the caller's own. */
  username: string;
  viewer: CredentialViewer;
};

/**
 * A link that opens the game signed in as the member, with the stored password.
 * @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT, INVALID_USER_3, GAME_ACTIVATION_FAIL
 */
export async function launchGame(deps: GameDeps, request: LaunchRequest): Promise<{ link: string }> {
  const { game, account } = await findGameAccount(deps.database, request.memberId, request.code);
  if (account.username !== request.username) throw new Refusal('INVALID_USER_3');
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const { launch } = requireProvider(deps, account.provider);
  if (launch.kind !== 'link') throw new Refusal('NO_GAME', { detail: 'NOT_BY_LINK' });
  const { password } = await resolvePassword(deps, account);
  const launched = await launch.open({
    username: account.username,
    password,
    game: game.providerGame,
    language: request.viewer.language,
    returnUrl: request.viewer.rewriteAddress(deps.publicUrl),
  });
  if (launched.outcome !== 'done') {
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: failureDetail(launched) });
  }
  // The link contains the password.
  if (launch.needsPassword) await insertReveal(deps.database, account, 'launch', request.viewer);
  return { link: request.viewer.rewriteAddress(launched.value.link) };
}

function failureDetail(launched: Refused | Unknown): string {
  if (launched.outcome === 'unknown') return 'PROVIDER_SILENT';
  if (launched.reason === 'maintenance') return 'MAINTENANCE';
  return launched.reason === 'unreachable' ? 'PROVIDER_UNREACHABLE' : 'LAUNCH_REFUSED';
}
