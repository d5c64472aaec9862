import { call } from '../../api/call.ts';
import type { GameAccount } from '../../api/wallet.ts';
import { readCredentials } from './credentials.ts';

/**
 * Asks for a link that opens a game signed in as the member.
 * @returns an address for the browser, good for a few minutes
 * @throws ApiFailure
 */
export async function gameLink(game: Pick<GameAccount, 'code' | 'launchNeedsPassword'>): Promise<string> {
  const { username, password } = await readCredentials(game.code);
  const { link } = game.launchNeedsPassword
    ? await call('GET /api/autoLogin/{provider}/{username}/{password}', {
        params: { provider: game.code, username, password },
      })
    : await call('GET /api/autoLogin/{provider}/{username}', { params: { provider: game.code, username } });
  return link;
}
