import { type AskmebetConfig, askmebetProvider } from './askmebet.ts';
import { type PgConfig, pgProvider } from './pg.ts';
import type { GameProvider } from './port.ts';

/** The part `games` of the outside file: one entry for each provider, by its name. */
export type GameConfigs = Readonly<Record<string, PgConfig | AskmebetConfig>>;
export type GameProviders = ReadonlyMap<string, GameProvider>;

/** The adapters of all configured providers, by name. A new kind of provider is one more line here. */
export function gameProviders(configs: GameConfigs): GameProviders {
  const make = (name: string, config: PgConfig | AskmebetConfig): GameProvider => {
    switch (config.kind) {
      case 'pg':
        return pgProvider(name, config);
      case 'askmebet':
        return askmebetProvider(name, config);
    }
  };
  return new Map(Object.entries(configs).map(([name, config]) => [name, make(name, config)]));
}
