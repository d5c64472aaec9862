import type { LaunchWish } from './port.ts';

/** Query of a launch link with username, password and the return URL of the wallet. */
export function loginQuery({ username, password, game, language, returnUrl }: LaunchWish): string {
  const query = new URLSearchParams({ username, password, lang: language, return_url: returnUrl });
  if (game !== null) query.set('game', game);
  return query.toString();
}
