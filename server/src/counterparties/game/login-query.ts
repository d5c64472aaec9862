import type { LaunchWish } from './port.ts';

/** The query of a link that signs in by username and password, and names the way back to the wallet. */
export function loginQuery({ username, password, game, language, returnUrl }: LaunchWish): string {
  const query = new URLSearchParams({ username, password, lang: language, return_url: returnUrl });
  if (game !== null) query.set('game', game);
  return query.toString();
}
