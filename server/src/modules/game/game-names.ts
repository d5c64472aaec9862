import { foldedText, matchesSearch } from '@krapao/contract/text/search-text';
import { versionedCache } from '../../platform/jobs/cache.ts';
import { createOperatorVersion, type OperatorData } from '../operator-data/index.ts';
import type { Game, GameDeps } from './game.ts';
import { selectGames } from './queries.ts';

/** Names of the providers, as the operator has set them. */
export type ProviderNames = () => Promise<Pick<OperatorData, 'gameProviders'>>;

/** A game with its names and those of its provider, in every language. Hidden if the outside file lacks its provider. */
type NamedGame = { code: string; provider: string; names: string[]; isHidden: boolean };

/** Reads the names under which games are found, withdrawn ones included. */
export function createGameNameReader(
  { database, providers }: Pick<GameDeps, 'database' | 'providers'>,
  readOperatorData: ProviderNames,
): () => Promise<NamedGame[]> {
  const games = versionedCache(createOperatorVersion(database), () => selectGames(database));
  return async () => {
    const { gameProviders } = await readOperatorData();
    return (await games()).map((game) => {
      const isHidden = game.isHidden || !providers.has(game.provider);
      return toNamedGame({ ...game, isHidden }, gameProviders);
    });
  };
}

/** A provider without an entry has its configured name. */
function toNamedGame(
  { code, name, names, provider, isHidden }: Game,
  { [provider]: entry = { name: provider, spellings: [] } }: OperatorData['gameProviders'],
): NamedGame {
  const allNames = [name, ...Object.values(names ?? {}), provider, entry.name, ...entry.spellings];
  return { code, provider: entry.name, names: [...new Set(allNames)], isHidden };
}

/** Codes of the games that a search finds by name or provider; none for a search without letters and digits. */
export const findGames = (games: readonly NamedGame[], search: string): string[] =>
  foldedText(search) === '' ? [] : games.filter(({ names }) => matchesSearch(names, search)).map(({ code }) => code);
