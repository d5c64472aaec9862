import { STORAGE } from '@krapao/contract/constants';
import { LANGUAGE_COOKIE, cookieValue, htmlLang, isLanguage, type Language } from '@krapao/contract/languages';
import { readStored, writeCookie, writeStored } from '../shell/storage.ts';
import { isLaoVariant } from '../shell/variant.ts';
import { languageCode, i18n, loadNamespaces, namespacesInUse } from './i18n.ts';

/**
 * The stored choice, else Lao in the Lao variant, else Thai. Sets the language cookie at each visit, so that the server
 * uses the language of the page from the first visit on and after the cookie has expired.
 */
export function firstLanguage(): Language {
  const stored = readStored(STORAGE.locale);
  const language = isLanguage(stored) ? stored : isLaoVariant() ? 'la' : 'th';
  setLanguageCookie(language);
  return language;
}

/** Sets the cookie that selects the next page's language. */
const setLanguageCookie = (language: Language): void => writeCookie(LANGUAGE_COOKIE, cookieValue[language]);

/** Switches to a language whose texts are loaded. Stores nothing: the member has not chosen it. */
export async function applyLanguage(language: Language): Promise<void> {
  if (i18n.language !== languageCode(language)) await i18n.changeLanguage(languageCode(language));
  if (typeof document !== 'undefined') document.documentElement.lang = htmlLang[language];
}

/** Switches to a chosen language: loads the namespaces in use, and stores the choice here and in the cookie. */
export async function chooseLanguage(language: Language): Promise<void> {
  await loadNamespaces(namespacesInUse(), language);
  writeStored(STORAGE.locale, language);
  setLanguageCookie(language);
  await applyLanguage(language);
}
