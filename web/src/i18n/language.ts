import { STORAGE } from '@krapao/contract/constants';
import { LANGUAGE_COOKIE, cookieValue, htmlLang, isLanguage, type Language } from '@krapao/contract/languages';
import { readStored, writeCookie, writeStored } from '../browser/storage.ts';
import { isLaoVariant } from '../browser/variant.ts';
import { languageCode, i18n, loadNamespaces, namespacesInUse } from './i18n.ts';

/**
 * Initial language: the stored choice, else Lao in the Lao variant, else Thai. Each visit sets the language cookie. The
 * server therefore knows the page's language at the first visit, and after the cookie has expired.
 */
export function firstLanguage(): Language {
  const storedLanguage = readStored(STORAGE.locale);
  const language = isLanguage(storedLanguage) ? storedLanguage : isLaoVariant() ? 'la' : 'th';
  setLanguageCookie(language);
  return language;
}

/** Sets the cookie by which the server selects the language of the next page. */
const setLanguageCookie = (language: Language): void => writeCookie(LANGUAGE_COOKIE, cookieValue[language]);

/** Switches to a language whose texts are loaded. Stores nothing, because the member has not chosen it. */
export async function applyLanguage(language: Language): Promise<void> {
  if (i18n.language !== languageCode(language)) await i18n.changeLanguage(languageCode(language));
  if (typeof document !== 'undefined') document.documentElement.lang = htmlLang[language];
}

/**
 * Switches to the language chosen by the member: loads the used namespaces, and stores the choice in local storage and
 * in the cookie.
 */
export async function chooseLanguage(language: Language): Promise<void> {
  await loadNamespaces(namespacesInUse(), language);
  writeStored(STORAGE.locale, language);
  setLanguageCookie(language);
  await applyLanguage(language);
}
