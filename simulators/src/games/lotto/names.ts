import type { Provider } from '../providers.ts';

type Name = { th: string; en: string };

const BALLS: Name = { th: 'หวยลูกทอง', en: 'Golden Draw' };
const RIVER: Name = { th: 'หวยริมโขง', en: 'Riverside Draw' };

/** What the main draw of a provider is called; every name is invented. */
const MAIN: Readonly<Partial<Record<Provider, Name>>> = {
  huayhd: { th: 'หวยบัวทอง', en: 'Golden Lotus' },
  royal: { th: 'หวยเรือทอง', en: 'Golden Barge' },
};

export function nameOf(provider: Provider, skin: string): Name {
  return skin === 'balls' ? BALLS : (MAIN[provider] ?? RIVER);
}
