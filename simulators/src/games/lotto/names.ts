import { type Provider, TITLES } from '../providers.ts';
import type { Language } from '../sessions.ts';

type LocalizedName = Readonly<Record<Language, string>>;

const BALL_GAME_NAME: LocalizedName = { th: 'หวยลูกทอง', la: 'ຫວຍໝາກບານທອງ', en: 'Golden Draw' };
/** Name of a draw: a provider's main draw has the name of its site. All names are invented. */
export function nameOf(provider: Provider, skin: string): LocalizedName {
  const providerName = TITLES[provider];
  return skin === 'balls' ? BALL_GAME_NAME : { th: providerName, la: providerName, en: providerName };
}
