import { errorCodes } from '@krapao/contract/errors';
import { languages, type Language } from '@krapao/contract/languages';
import { foreignScriptIn } from './foreign-script.ts';

type PhraseTree = { readonly [key: string]: string | PhraseTree };
type PhrasesByLanguage = Readonly<Record<Language, PhraseTree>>;

/** Texts of a catalogue by "namespace.path.key". Plural forms count as their key. */
function collectTexts(tree: PhraseTree, path = ''): Map<string, string[]> {
  const textsByKey = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const name = `${path}${key.replace(/_(one|other)$/, '')}`;
    if (typeof value === 'string') textsByKey.set(name, [...(textsByKey.get(name) ?? []), value]);
    else
      for (const [key, texts] of collectTexts(value, `${name}.`))
        textsByKey.set(key, [...(textsByKey.get(key) ?? []), ...texts]);
  }
  return textsByKey;
}

/** Names of the {{values}} in a text, sorted. */
const variablesIn = (texts: readonly string[]): string =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(/{{\s*([\w.]+)/g)].map(([, name = '']) => name)))]
    .sort((first, second) => first.localeCompare(second))
    .join(' ');

/**
 * Finds faults in the catalogues: missing keys, empty texts, untranslated texts or texts in another language, missing
 * {{values}}, error codes without a phrase.
 * @returns one sentence per fault
 */
export function faultsOf(catalogues: PhrasesByLanguage): string[] {
  const faults: string[] = [];
  const thaiTexts = collectTexts(catalogues.th);
  for (const language of languages) {
    const ownTexts = collectTexts(catalogues[language]);
    for (const key of thaiTexts.keys()) if (!ownTexts.has(key)) faults.push(`${language} lacks ${key}`);
    for (const [key, texts] of ownTexts) {
      if (!thaiTexts.has(key)) faults.push(`${language} has ${key}, which th has not`);
      if (texts.some((text) => text.trim() === '')) faults.push(`${language} ${key} is empty`);
      if (variablesIn(texts) !== variablesIn(thaiTexts.get(key) ?? texts))
        faults.push(`${language} ${key} fills in other values`);
      for (const text of texts) {
        const foreignText = foreignScriptIn(language, text);
        if (foreignText) faults.push(`${language} ${key} has ${foreignText}`);
      }
    }
    for (const code of errorCodes) {
      if (!ownTexts.has(`errors.errorMsg.${code}`)) faults.push(`${language} has no words for ${code}`);
    }
  }
  return faults;
}
