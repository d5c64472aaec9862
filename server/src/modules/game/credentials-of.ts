import type { Credentials, GameAccount } from './game.ts';
import type { GameAccess } from './game-access.ts';

/** Username and password of an account, and what a browser posts where the game opens by a form. */
export function credentialsOf(
  { providers }: Pick<GameAccess, 'providers'>,
  { username, provider }: Pick<GameAccount, 'username' | 'provider'>,
  password: string,
): Credentials {
  const launch = providers.get(provider)?.launch;
  const login = { username, password };
  return launch?.kind === 'form' ? { ...login, form: launch.form(login) } : login;
}
