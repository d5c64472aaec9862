import type { Outside } from '../outside/outside-file.ts';
import type { Protocol } from './game-server.ts';
import { areaslot } from './protocols/areaslot.ts';
import { askmebet } from './protocols/askmebet.ts';
import { betflix } from './protocols/betflix.ts';
import { circus } from './protocols/circus.ts';
import { formpost } from './protocols/formpost.ts';
import { huayhd } from './protocols/huayhd.ts';
import { imi } from './protocols/imi.ts';
import { joker2 } from './protocols/joker2.ts';
import { pg } from './protocols/pg.ts';
import { pgslot } from './protocols/pgslot.ts';
import { royal } from './protocols/royal.ts';
import { slotracha } from './protocols/slotracha.ts';
import { usun } from './protocols/usun.ts';
import { type Provider, PROVIDERS } from './providers.ts';

/** The wire protocols by the `kind` of a provider in the outside file. */
const PROTOCOL_BY_KIND: Readonly<Record<string, Protocol>> = {
  pg,
  joker2,
  betflix,
  areaslot,
  huayhd,
  askmebet,
  imi,
  usun,
  circus,
  slotracha,
  pgslot,
  formpost,
  royal,
};

/** Protocol of providers without a kind in the outside file; the default is the provider's own name. */
const USUAL_KIND: Partial<Record<Provider, string>> = { naga: 'formpost', saming: 'formpost' };

/** The protocol of each provider in the outside file, if one exists. */
export function protocolsOf({ games }: Outside): ReadonlyMap<Provider, Protocol> {
  const protocolEntries = PROVIDERS.flatMap((provider) => {
    const kind = games[provider]?.['kind'] ?? USUAL_KIND[provider] ?? provider;
    const protocol =
      typeof kind === 'string' && Object.hasOwn(PROTOCOL_BY_KIND, kind) ? PROTOCOL_BY_KIND[kind] : undefined;
    return games[provider] && protocol ? [[provider, protocol] as const] : [];
  });
  return new Map(protocolEntries);
}
