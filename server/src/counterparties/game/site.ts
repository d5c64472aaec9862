import type { GameConfig } from '../../outside/games.ts';

/**
 * The address that browsers open of a provider, without a slash at the end.
 * @param wanted a country picks the provider's site there, where it has one; a host (with a port or without) takes the
 *   place of the usual one's
 */
export function chosenSite(
  { url, site = url, sites }: Pick<GameConfig, 'url' | 'site' | 'sites'>,
  wanted?: string,
): string {
  const chosen = new URL((wanted === undefined ? undefined : sites?.[wanted]) ?? site);
  if (wanted !== undefined && isHost(wanted)) chosen.host = wanted;
  return chosen.href.replace(/\/$/, '');
}

/** Two letters are a country; a host has a dot or a port, or is the machine itself. */
const isHost = (wanted: string): boolean => /[.:]/.test(wanted) || wanted === 'localhost';
