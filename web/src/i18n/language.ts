import { STORAGE } from '@krapao/contract/constants';
import { LANGUAGE_COOKIE, cookieValue, htmlLang, isLanguage, type Language } from '@krapao/contract/languages';
import { readStored, writeCookie, writeStored } from '../shell/storage.ts';
import { isLaoVariant } from '../shell/variant.ts';
import { languageCode, i18n, loadNamespaces, namespacesInUse } from './i18n.ts';

/**
 * The stored choice, else Lao in the Lao variant, else Thai. Sets the language cookie at each visit, so that the server
 * speaks the language of the page from the first visit on and after the cookie has expired.
 */
export function firstLanguage(): Language {
  const stored = readStored(STORAGE.locale);
  const language = isLanguage(stored) ? stored : isLaoVariant() ? 'la' : 'th';
  setLanguageCookie(language);
  return language;
}

/** Tells the server which page to send next time. */
const setLanguageCookie = (language: Language): void => writeCookie(LANGUAGE_COOKIE, cookieValue[language]);

/** Makes the app speak a language whose words are loaded. Stores nothing: no language has been chosen. */
export async function applyLanguage(language: Language): Promise<void> {
  if (i18n.language !== languageCode(language)) await i18n.changeLanguage(languageCode(language));
  if (typeof document !== 'undefined') document.documentElement.lang = htmlLang[language];
}

/** A person chose: loads what is in use, speaks it, and keeps the choice here and in the cookie. */
export async function chooseLanguage(language: Language): Promise<void> {
  await loadNamespaces(namespacesInUse(), language);
  writeStored(STORAGE.locale, language);
  setLanguageCookie(language);
  await applyLanguage(language);
}
