import type { Language } from '@krapao/contract/languages';
import type { Word } from '@krapao/phrases/catalogue';
import { addWords, currentLanguage, hasWords } from './i18n.ts';

const files = import.meta.glob<object>('../../../phrases/{th,la,en}/*.json', { import: 'default' });
const wanted = new Set<Word>();

/**
 * Loads files of words in the language shown (or the one given) and remembers that they are in use, so that a change of
 * language brings them too. Loaded ones cost nothing.
 */
export async function loadWords(words: readonly Word[], language: Language = currentLanguage()): Promise<void> {
  for (const word of words) wanted.add(word);
  await Promise.all(
    words.map(async (word) => {
      if (hasWords(language, word)) return;
      const load = files[`../../../phrases/${language}/${word}.json`];
      if (!load) throw new Error(`no words for ${language}/${word}`);
      addWords(language, word, await load());
    }),
  );
}

/** Every word in use so far. */
export const wordsInUse = (): Word[] => [...wanted];
