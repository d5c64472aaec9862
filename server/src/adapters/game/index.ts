import type { Clock } from '../../platform/time.ts';
import { adapter } from './adapter.ts';
import type { GameConfig } from './config.ts';
import type { Dialect } from './dialect.ts';
import { areaslotDialect } from './dialects/areaslot.ts';
import { askmebetDialect } from './dialects/askmebet.ts';
import { betflixDialect } from './dialects/betflix.ts';
import { circusDialect } from './dialects/circus.ts';
import { formpostDialect } from './dialects/formpost.ts';
import { huayhdDialect } from './dialects/huayhd.ts';
import { imiDialect } from './dialects/imi.ts';
import { joker2Dialect } from './dialects/joker2.ts';
import { pgDialect } from './dialects/pg.ts';
import { pgslotDialect } from './dialects/pgslot.ts';
import { royalDialect } from './dialects/royal.ts';
import { slotrachaDialect } from './dialects/slotracha.ts';
import { usunDialect } from './dialects/usun.ts';
import type { GameProvider } from './port.ts';

/** Section `games` of the outside file: one entry per provider, by name. */
export type GameConfigs = Readonly<Record<string, GameConfig>>;
export type GameProviders = ReadonlyMap<string, GameProvider>;

/**
 * Adapters of all configured providers, by name.
 * @param site variant of the providers' sites for browsers: a country or a host; undefined: the default
 */
export function gameProviders(configs: GameConfigs, site: string | undefined, clock: Clock): GameProviders {
  const namedProviders = Object.entries(configs).map(([name, config]): [string, GameProvider] => {
    const dialect = dialectOf(config, clock);
    const sites = { site: chosenSite(config, site), usualSite: chosenSite(config) };
    return [name, adapter({ name, config, dialect, ...sites })];
  });
  return new Map(namedProviders);
}

/** Creates the dialect of a kind of provider. */
function dialectOf(config: GameConfig, clock: Clock): Dialect {
  switch (config.kind) {
    case 'pg':
      return pgDialect(config);
    case 'askmebet':
      return askmebetDialect(config);
    case 'imi':
      return imiDialect(config);
    case 'usun':
      return usunDialect(config);
    case 'circus':
      return circusDialect(config);
    case 'slotracha':
      return slotrachaDialect(config);
    case 'pgslot':
      return pgslotDialect(config);
    case 'royal':
      return royalDialect(config);
    case 'joker2':
      return joker2Dialect(config, clock);
    case 'betflix':
      return betflixDialect(config);
    case 'areaslot':
      return areaslotDialect(config);
    case 'huayhd':
      return huayhdDialect(config);
    case 'formpost':
      return formpostDialect(config, clock);
  }
}

/**
 * URL of a provider's site for browsers, without a trailing slash. @param variant a country selects the provider's site
 * there, if it has one; a host (with or without port) replaces the default host
 */
export function chosenSite(
  { url, site = url, sites }: Pick<GameConfig, 'url' | 'site' | 'sites'>,
  variant?: string,
): string {
  const siteUrl = new URL((variant === undefined ? undefined : sites?.[variant]) ?? site);
  if (variant !== undefined && isHostVariant(variant)) siteUrl.host = variant;
  return siteUrl.href.replace(/\/$/, '');
}

/** Two letters are a country; a host has a dot or a port, or is `localhost`. */
const isHostVariant = (variant: string): boolean => /[.:]/.test(variant) || variant === 'localhost';
