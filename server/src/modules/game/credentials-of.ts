import type { GameCredentials, GameAccount, Viewer } from './game.ts';
import type { GameAccess } from './game-access.ts';

/** Username and password of an account, and what a browser posts where the game opens by a form. */
export function credentialsOf(
  { providers, publicUrl }: Pick<GameAccess, 'providers' | 'publicUrl'>,
  { username, provider }: Pick<GameAccount, 'username' | 'provider'>,
  password: string,
  { language, rewriteAddress }: Pick<Viewer, 'language' | 'rewriteAddress'>,
): GameCredentials {
  const launch = providers.get(provider)?.launch;
  const login = { username, password };
  if (launch?.kind !== 'form') return login;
  const { action, fields } = launch.form(login, { returnUrl: rewriteAddress(publicUrl), language });
  return { ...login, form: { action: rewriteAddress(action), fields } };
}
