import type { Provider } from '../providers.ts';
import type { Language } from '../sessions.ts';

type Name = Readonly<Record<Language, string>>;

const BALLS: Name = { th: 'หวยลูกทอง', la: 'ຫວຍໝາກບານທອງ', en: 'Golden Draw' };
const RIVER: Name = { th: 'หวยริมโขง', la: 'ຫວຍແຄມຂອງ', en: 'Riverside Draw' };

/** Name of the main draw of a provider; all names are invented. */
const MAIN: Readonly<Partial<Record<Provider, Name>>> = {
  huayhd: { th: 'หวยบัวทอง', la: 'ຫວຍດອກບົວທອງ', en: 'Golden Lotus' },
  royal: { th: 'หวยเรือทอง', la: 'ຫວຍເຮືອທອງ', en: 'Golden Barge' },
};

export function nameOf(provider: Provider, skin: string): Name {
  return skin === 'balls' ? BALLS : (MAIN[provider] ?? RIVER);
}
