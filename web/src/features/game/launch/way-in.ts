import { call } from '../../../api/call.ts';
import type { GameAccount } from '../../../shared/wallet/use-wallet.ts';
import { webAddress } from '../../../web-address.ts';
import { type Credentials, readCredentials, refetchCredentials } from '../credentials.ts';

export type LoginForm = NonNullable<Credentials['form']>;

/** What a tab does to be in a game: go to an address, or post a login to one. */
export type WayIn = { kind: 'link'; link: string } | { kind: 'form'; form: LoginForm };

/** The answer has an address that a browser may not be sent to. */
export class NoWayIn extends Error {
  override readonly name = 'NoWayIn';
}

/** Whether an address may be opened, also one of this site. */
const isPage = (address: string): boolean => webAddress(address, location.href) !== undefined;

/**
 * Asks for the way into a game: a link that is signed in and good for a few minutes, a form to post, or the one address
 * where all members sign in by hand.
 * @throws ApiFailure, NoWayIn
 */
export async function findWayIn(
  game: Pick<GameAccount, 'code' | 'launch' | 'launchNeedsPassword' | 'web'>,
): Promise<WayIn> {
  if (game.launch === 'form') {
    // Fetched each time: another device may have changed it.
    const { form } = await refetchCredentials(game.code);
    if (!form || !isPage(form.action)) throw new NoWayIn('the game told no form that can be posted');
    return { kind: 'form', form };
  }
  const link = game.launch === 'fixed' ? (game.web ?? '') : await signedInLink(game);
  if (!isPage(link)) throw new NoWayIn('the game told no address that can be opened');
  return { kind: 'link', link };
}

async function signedInLink({
  code,
  launchNeedsPassword,
}: Pick<GameAccount, 'code' | 'launchNeedsPassword'>): Promise<string> {
  const { username, password } = await readCredentials(code);
  const params = { provider: code, username };
  const { link } = launchNeedsPassword
    ? await call('GET /api/autoLogin/{provider}/{username}/{password}', { params: { ...params, password } })
    : await call('GET /api/autoLogin/{provider}/{username}', { params });
  return link;
}
