import { errorCodes } from '@krapao/contract/errors';
import { languages, type Language } from '@krapao/contract/languages';
import { foreignScriptIn } from './letters.ts';

type Tree = { readonly [key: string]: string | Tree };
type Words = Readonly<Record<Language, Tree>>;

/** Leaves of a catalogue: "word.path.key" → text. Plural forms count as their key. */
function leaves(tree: Tree, path = ''): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of Object.entries(tree)) {
    const name = `${path}${key.replace(/_(one|other)$/, '')}`;
    if (typeof value === 'string') found.set(name, [...(found.get(name) ?? []), value]);
    else
      for (const [inner, texts] of leaves(value, `${name}.`)) found.set(inner, [...(found.get(inner) ?? []), ...texts]);
  }
  return found;
}

/** Names of the {{values}} that a text fills in, sorted. */
const variables = (texts: readonly string[]): string =>
  [...new Set(texts.flatMap((text) => [...text.matchAll(/{{\s*([\w.]+)/g)].map(([, name = '']) => name)))]
    .sort((one, other) => one.localeCompare(other))
    .join(' ');

/**
 * Looks for what a member would stumble over: a key that one language lacks, an empty text, one that isn't translated or
 * is of another language, a {{value}} that one language forgets, an error code without words.
 * @returns one sentence per fault; none when all is well
 */
export function faultsOf(words: Words): string[] {
  const faults: string[] = [];
  const thai = leaves(words.th);
  for (const language of languages) {
    const own = leaves(words[language]);
    for (const key of thai.keys()) if (!own.has(key)) faults.push(`${language} lacks ${key}`);
    for (const [key, texts] of own) {
      if (!thai.has(key)) faults.push(`${language} has ${key}, which th has not`);
      if (texts.some((text) => text.trim() === '')) faults.push(`${language} ${key} is empty`);
      if (variables(texts) !== variables(thai.get(key) ?? texts))
        faults.push(`${language} ${key} fills in other values`);
      for (const text of texts) {
        const foreign = foreignScriptIn(language, text);
        if (foreign) faults.push(`${language} ${key} has ${foreign}`);
      }
    }
    for (const code of errorCodes) {
      if (!own.has(`errors.errorMsg.${code}`)) faults.push(`${language} has no words for ${code}`);
    }
  }
  return faults;
}
