import type { GameConfig } from '../../outside/games.ts';

/**
 * Address of a provider's site for browsers, without a trailing slash. @param wanted a country selects the provider's
 * site there, where it has one; a host (with or without port) replaces the default one's
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
