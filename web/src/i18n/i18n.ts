import type { Language } from '@krapao/contract/languages';
import type { Catalogue, LaterNamespace, Namespace } from '@krapao/phrases/catalogue';
import { joinWords } from '@krapao/phrases/unbroken-words';
import { createInstance } from 'i18next';
import { initReactI18next } from 'react-i18next/initReactI18next';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: Catalogue;
  }
}

/** i18next uses BCP 47 codes: Lao is `lo`, which also selects the correct plural rules. */
const languageCodes = { th: 'th', la: 'lo', en: 'en' } as const satisfies Record<Language, string>;
const languagesByCode: Readonly<Record<string, Language>> = { th: 'th', lo: 'la', en: 'en' };

export const i18n = createInstance();

let reportMissing: (failure: Error) => void = () => undefined;

void i18n.use(initReactI18next).init({
  lng: languageCodes.th,
  initAsync: false,
  resources: {},
  fallbackLng: false,
  saveMissing: true,
  // Without this handler, i18next would display the key and treat the namespace as loaded.
  missingKeyHandler: (_languages, namespace, key) =>
    reportMissing(new Error(`no words for ${i18n.language} ${namespace}:${key}`)),
  ns: [],
  defaultNS: 'common',
  interpolation: { escapeValue: false },
  react: { useSuspense: false, bindI18n: 'languageChanged', bindI18nStore: 'added' },
});

export const currentLanguage = (): Language => languagesByCode[i18n.language] ?? 'th';

export const languageCode = (language: Language): string => languageCodes[language];

export function addNamespace(language: Language, namespace: Namespace, texts: object): void {
  const unbroken = language === 'th' ? (JSON.parse(joinWords(JSON.stringify(texts))) as object) : texts;
  i18n.addResourceBundle(languageCodes[language], namespace, unbroken, true, true);
}

export const hasNamespace = (language: Language, namespace: Namespace): boolean =>
  i18n.hasResourceBundle(languageCodes[language], namespace);

/** Sets the only listener for missing texts; each is reported as `namespace:key`. */
export function onMissing(report: (failure: Error) => void): void {
  reportMissing = report;
}

/** One file has most namespaces of a language: they are small, and separate files would need separate requests. */
const loadersByLanguage = {
  th: () => import('@krapao/phrases/words-th'),
  la: () => import('@krapao/phrases/words-la'),
  en: () => import('@krapao/phrases/words-en'),
} as const satisfies Record<Language, () => Promise<Record<Exclude<Namespace, LaterNamespace>, object>>>;
/** A second file has the namespaces that no page needs initially. */
const laterLoadersByLanguage = {
  th: () => import('@krapao/phrases/later-words-th'),
  la: () => import('@krapao/phrases/later-words-la'),
  en: () => import('@krapao/phrases/later-words-en'),
} as const satisfies Record<Language, () => Promise<Record<LaterNamespace, object>>>;
const laterNamespaces: Readonly<Record<LaterNamespace, true>> = { install: true, lobby: true, money: true, push: true };
const isLaterNamespace = (namespace: Namespace): namespace is LaterNamespace => namespace in laterNamespaces;
const usedNamespaces = new Set<Namespace>();

/**
 * Adds namespaces in a language (default: the current one), loading the language's files if necessary. The namespaces
 * are remembered, so that a language change also adds them in the new language.
 */
export async function loadNamespaces(
  namespaces: readonly Namespace[],
  language: Language = currentLanguage(),
): Promise<void> {
  for (const namespace of namespaces) usedNamespaces.add(namespace);
  const missingNamespaces = namespaces.filter((namespace) => !hasNamespace(language, namespace));
  if (missingNamespaces.length === 0) return;
  const [texts, laterTexts] = await Promise.all([
    missingNamespaces.every(isLaterNamespace) ? {} : loadersByLanguage[language](),
    missingNamespaces.some(isLaterNamespace) ? laterLoadersByLanguage[language]() : {},
  ]);
  const allTexts = { ...texts, ...laterTexts } as Record<Namespace, object>;
  for (const namespace of missingNamespaces) addNamespace(language, namespace, allTexts[namespace]);
}

export const namespacesInUse = (): Namespace[] => [...usedNamespaces];
