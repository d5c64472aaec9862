import type { Language } from '@krapao/contract/languages';
import type { Catalogue, Word } from '@krapao/phrases/catalogue';
import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next/initReactI18next';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: Catalogue;
  }
}

/** i18next's language codes are BCP 47: Lao is `lo`, which is also what has the right plural rules. */
const codes = { th: 'th', la: 'lo', en: 'en' } as const satisfies Record<Language, string>;
const languagesByCode: Readonly<Record<string, Language>> = { th: 'th', lo: 'la', en: 'en' };

export const i18n = createInstance();

let tellMissing: (failure: Error) => void = () => undefined;

void i18n.use(initReactI18next).init({
  lng: codes.th,
  initAsync: false,
  resources: {},
  fallbackLng: false,
  saveMissing: true,
  // Without one of ours, i18next would take the key for the words of it, and their file for loaded.
  missingKeyHandler: (_languages, word, key) => tellMissing(new Error(`no words for ${i18n.language} ${word}:${key}`)),
  ns: [],
  defaultNS: 'common',
  interpolation: { escapeValue: false },
  react: { useSuspense: false, bindI18n: 'languageChanged', bindI18nStore: 'added' },
});

/** The language in which the app speaks now. */
export const currentLanguage = (): Language => languagesByCode[i18n.language] ?? 'th';

export const codeOf = (language: Language): string => codes[language];

/** Puts one file of words where i18next finds it. */
export function addWords(language: Language, word: Word, words: object): void {
  i18n.addResourceBundle(codes[language], word, words, true, true);
}

export const hasWords = (language: Language, word: Word): boolean => i18n.hasResourceBundle(codes[language], word);

/** Calls back with each sentence that the app wants to say and has no words for, as `word:key`. One listens: the last. */
export function onMissing(tell: (failure: Error) => void): void {
  tellMissing = tell;
}
