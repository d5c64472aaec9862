import type { Provider } from './players.ts';

/** The games of each provider by its code, the main one first. All are the same machine with other pictures. */
const GAMES: Readonly<Record<Provider, readonly [string, ...string[]]>> = {
  pg: ['tiger', 'market', 'deep'],
  askmebet: ['cards', 'dice', 'balls'],
};

/** The game that a code names; without a code the provider's main one; undefined when there is no such game. */
export function gameNamed(provider: Provider, code: string | undefined): string | undefined {
  const games = GAMES[provider];
  return code === undefined ? games[0] : games.find((game) => game === code);
}
