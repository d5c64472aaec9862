import { type Provider, TITLES } from '../providers.ts';
import type { Language } from '../sessions.ts';

type Name = Readonly<Record<Language, string>>;

const BALLS: Name = { th: 'หวยลูกทอง', la: 'ຫວຍໝາກບານທອງ', en: 'Golden Draw' };
/** Name of a draw: the main one of a provider is called as its site. All names are invented. */
export function nameOf(provider: Provider, skin: string): Name {
  const title = TITLES[provider];
  return skin === 'balls' ? BALLS : { th: title, la: title, en: title };
}
