import type { LaunchWish } from './port.ts';

/** The query of a link that signs in by username and password. */
export function loginQuery({ username, password, game, language }: LaunchWish): string {
  const query = new URLSearchParams({ username, password, lang: language });
  if (game !== null) query.set('game', game);
  return query.toString();
}
