import type { Credentials, GameAccount, Viewer } from './game.ts';
import type { GameAccess } from './game-access.ts';

/** Username and password of an account, and what a browser posts where the game opens by a form. */
export function credentialsOf(
  { providers, publicUrl }: Pick<GameAccess, 'providers' | 'publicUrl'>,
  { username, provider }: Pick<GameAccount, 'username' | 'provider'>,
  password: string,
  { language }: Pick<Viewer, 'language'>,
): Credentials {
  const launch = providers.get(provider)?.launch;
  const login = { username, password };
  return launch?.kind === 'form' ? { ...login, form: launch.form(login, { returnUrl: publicUrl, language }) } : login;
}
