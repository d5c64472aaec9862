/** The simulated game providers, in the order of the demonstration site. */
export const PROVIDERS = [
  'pg',
  'joker2',
  'betflix',
  'areaslot',
  'huayhd',
  'askmebet',
  'imi',
  'usun',
  'circus',
  'slotracha',
  'pgslot',
  'naga',
  'saming',
  'royal',
] as const;

export type Provider = (typeof PROVIDERS)[number];

/** Display name of each provider's site. */
export const TITLES: Readonly<Record<Provider, string>> = {
  pg: 'PG SLOT',
  joker2: 'Joker Parade',
  betflix: 'Betflix',
  areaslot: 'Area Slot',
  huayhd: 'Huay HD',
  askmebet: 'ASKMEBET',
  imi: 'IMI Sport',
  usun: 'U-Sun Sport',
  circus: 'Circus Sport',
  slotracha: 'Slot Racha',
  pgslot: 'PGSLOT Thai',
  naga: 'Naga River',
  saming: 'Saming Ring',
  royal: 'Royal Palace',
};

export function isProvider(name: string): name is Provider {
  return PROVIDERS.some((provider) => provider === name);
}

/** Countries for which every provider has a variant of its site. */
export const COUNTRIES = ['th', 'la'] as const;
