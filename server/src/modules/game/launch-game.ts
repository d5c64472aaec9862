import type { Refused, Unknown } from '../../adapters/game/port.ts';
import { Refusal } from '../../platform/errors.ts';
import { insertReveal } from './credential-queries.ts';
import { resolvePassword } from './credentials.ts';
import { type CredentialViewer, type GameDeps, requireProvider } from './game.ts';
import { findGameAccount } from './list-games.ts';
import { markLaunched } from './queries.ts';

export type LaunchRequest = {
  memberId: string;
  code: string;
  /** Username from the path; must be that of the caller's account. */
  username: string;
  viewer: CredentialViewer;
};

/**
 * Returns a link that opens the game with the member signed in, using the stored password.
 * @throws {Refusal} NO_GAME, SLOT_NO_ACCOUNT, INVALID_USER_3, GAME_ACTIVATION_FAIL
 */
export async function launchGame(deps: GameDeps, request: LaunchRequest): Promise<{ link: string }> {
  const { game, account } = await findGameAccount(deps.database, request.memberId, request.code);
  if (account.username !== request.username) throw new Refusal('INVALID_USER_3');
  if (game.inMaintenance) throw new Refusal('GAME_ACTIVATION_FAIL', { detail: 'MAINTENANCE' });
  const { launch } = requireProvider(deps, account.provider);
  if (launch.kind !== 'link') throw new Refusal('NO_GAME', { detail: 'NOT_BY_LINK' });
  const { password } = await resolvePassword(deps, account);
  const launchOutcome = await launch.open({
    username: account.username,
    password,
    game: game.providerGame,
    language: request.viewer.language,
    returnUrl: request.viewer.rewriteAddress(deps.publicUrl),
  });
  if (launchOutcome.outcome !== 'done') {
    throw new Refusal('GAME_ACTIVATION_FAIL', { detail: failureDetail(launchOutcome) });
  }
  await markLaunched(deps.database, account);
  // The link contains the password.
  if (launch.needsPassword) await insertReveal(deps.database, account, 'launch', request.viewer);
  return { link: request.viewer.rewriteAddress(launchOutcome.value.link) };
}

function failureDetail(failure: Refused | Unknown): string {
  if (failure.outcome === 'unknown') return 'PROVIDER_SILENT';
  if (failure.reason === 'maintenance') return 'MAINTENANCE';
  return failure.reason === 'unreachable' ? 'PROVIDER_UNREACHABLE' : 'LAUNCH_REFUSED';
}
