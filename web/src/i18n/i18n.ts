import type { Language } from '@krapao/contract/languages';
import type { Catalogue, LaterNamespace, Namespace } from '@krapao/phrases/catalogue';
import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next/initReactI18next';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: Catalogue;
  }
}

/** i18next uses BCP 47 codes: Lao is `lo`, which also has the right plural rules. */
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
  // Without a handler, i18next would use the key as text and treat the namespace as loaded.
  missingKeyHandler: (_languages, word, key) => tellMissing(new Error(`no words for ${i18n.language} ${word}:${key}`)),
  ns: [],
  defaultNS: 'common',
  interpolation: { escapeValue: false },
  react: { useSuspense: false, bindI18n: 'languageChanged', bindI18nStore: 'added' },
});

export const currentLanguage = (): Language => languagesByCode[i18n.language] ?? 'th';

export const languageCode = (language: Language): string => codes[language];

/** Adds the texts of a namespace. */
export function addNamespace(language: Language, word: Namespace, words: object): void {
  i18n.addResourceBundle(codes[language], word, words, true, true);
}

export const hasNamespace = (language: Language, word: Namespace): boolean =>
  i18n.hasResourceBundle(codes[language], word);

/** Reports each missing text as `namespace:key`. There is one listener: the last. */
export function onMissing(tell: (failure: Error) => void): void {
  tellMissing = tell;
}

/** All namespaces of a language are one file: they are small, and each file would be a request. */
const files = {
  th: () => import('@krapao/phrases/words-th'),
  la: () => import('@krapao/phrases/words-la'),
  en: () => import('@krapao/phrases/words-en'),
} as const satisfies Record<Language, () => Promise<Record<Exclude<Namespace, LaterNamespace>, object>>>;
/** Words that no page needs at first, in a second file. */
const laterFiles = {
  th: () => import('@krapao/phrases/later-words-th'),
  la: () => import('@krapao/phrases/later-words-la'),
  en: () => import('@krapao/phrases/later-words-en'),
} as const satisfies Record<Language, () => Promise<Record<LaterNamespace, object>>>;
const isLater = (word: Namespace): word is LaterNamespace => word === 'money';
const inUse = new Set<Namespace>();

/**
 * Adds namespaces in a language (default: the current one) and remembers them, so that a language change adds them too.
 * Loads the language's files if necessary.
 */
export async function loadNamespaces(
  words: readonly Namespace[],
  language: Language = currentLanguage(),
): Promise<void> {
  for (const word of words) inUse.add(word);
  const missing = words.filter((word) => !hasNamespace(language, word));
  if (missing.length === 0) return;
  const [texts, laterTexts] = await Promise.all([
    missing.every(isLater) ? {} : files[language](),
    missing.some(isLater) ? laterFiles[language]() : {},
  ]);
  const all = { ...texts, ...laterTexts } as Record<Namespace, object>;
  for (const word of missing) addNamespace(language, word, all[word]);
}

export const namespacesInUse = (): Namespace[] => [...inUse];
