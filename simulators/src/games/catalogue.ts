import type { Provider } from './providers.ts';

/** Kind of game; each has a folder of pages, `public/KIND`. */
export type GameKind = 'slot' | 'sports' | 'lotto';

/** One game of a provider: its code on the wire, and its theme (pictures and texts). */
export type Game = { code: string; kind: GameKind; skin: string };

const slot = (code: string, skin = code): Game => ({ code, kind: 'slot', skin });
const sports = (code: string, skin = code): Game => ({ code, kind: 'sports', skin });
const lotto = (code: string, skin = code): Game => ({ code, kind: 'lotto', skin });

/** The games of each provider, the main one first. */
export const GAMES: Readonly<Record<Provider, readonly [Game, ...Game[]]>> = {
  pg: [slot('tiger'), slot('market'), slot('deep')],
  joker2: [slot('joker'), slot('dice'), slot('cards')],
  betflix: [slot('cinema'), slot('tiger'), slot('market')],
  areaslot: [slot('orchard'), slot('deep'), slot('market')],
  huayhd: [lotto('lotto'), lotto('balls')],
  askmebet: [sports('sports'), slot('cards'), slot('dice'), lotto('balls')],
  imi: [sports('sports')],
  usun: [sports('sports')],
  circus: [sports('sports')],
  slotracha: [slot('racha'), slot('tiger'), slot('cards')],
  pgslot: [slot('rocket'), slot('cards'), slot('deep')],
  naga: [slot('naga'), slot('balls'), slot('deep')],
  saming: [sports('sports')],
  royal: [lotto('lotto'), lotto('balls')],
};

/** The game that a code names; without a code the provider's main one; undefined when there is no such game. */
export function gameNamed(provider: Provider, code: string | undefined): Game | undefined {
  const games = GAMES[provider];
  return code === undefined ? games[0] : games.find((game) => game.code === code);
}

/** The game of a session; sessions of earlier versions, which did not store it, belong to the main game. */
export function gameOf(provider: Provider, code: string): Game {
  return gameNamed(provider, code) ?? GAMES[provider][0];
}

/** The games of a kind that a provider has. */
export function gamesOfKind(provider: Provider, kind: GameKind): Game[] {
  return GAMES[provider].filter((game) => game.kind === kind);
}
