import type { Provider } from './providers.ts';

/** Kind of game; each has a folder of pages, `public/KIND`. */
export type GameKind = 'slot' | 'sports' | 'lotto';

/** One game of a provider: its code on the wire, and its theme (images and texts). */
export type Game = { code: string; kind: GameKind; skin: string };

const slotGame = (code: string, skin = code): Game => ({ code, kind: 'slot', skin });
const sportsGame = (code: string, skin = code): Game => ({ code, kind: 'sports', skin });
const lottoGame = (code: string, skin = code): Game => ({ code, kind: 'lotto', skin });

/** The games of each provider, the main one first. */
export const GAMES: Readonly<Record<Provider, readonly [Game, ...Game[]]>> = {
  pg: [slotGame('tiger'), slotGame('market'), slotGame('deep')],
  joker2: [slotGame('joker'), slotGame('dice'), slotGame('cards')],
  betflix: [slotGame('cinema'), slotGame('tiger'), slotGame('market')],
  areaslot: [slotGame('orchard'), slotGame('deep'), slotGame('market')],
  huayhd: [lottoGame('lotto'), lottoGame('balls')],
  askmebet: [sportsGame('sports'), slotGame('cards'), slotGame('dice'), lottoGame('balls')],
  imi: [sportsGame('sports')],
  usun: [sportsGame('sports')],
  circus: [sportsGame('sports')],
  slotracha: [slotGame('racha'), slotGame('tiger'), slotGame('cards')],
  pgslot: [slotGame('rocket'), slotGame('cards'), slotGame('deep')],
  naga: [slotGame('naga'), slotGame('balls'), slotGame('deep')],
  saming: [sportsGame('sports')],
  royal: [lottoGame('lotto'), lottoGame('balls')],
};

/** The game with a code; without a code the provider's main game; undefined for an unknown code. */
export function gameNamed(provider: Provider, code: string | undefined): Game | undefined {
  const games = GAMES[provider];
  return code === undefined ? games[0] : games.find((game) => game.code === code);
}

/** The game of a session. Sessions stored by earlier versions lack it and belong to the main game. */
export function gameOf(provider: Provider, code: string): Game {
  return gameNamed(provider, code) ?? GAMES[provider][0];
}

/** The games of a kind that a provider has. */
export function gamesOfKind(provider: Provider, kind: GameKind): Game[] {
  return GAMES[provider].filter((game) => game.kind === kind);
}
