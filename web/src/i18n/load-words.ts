import type { Language } from '@krapao/contract/languages';
import type { Word } from '@krapao/phrases/catalogue';
import { addWords, currentLanguage, hasWords } from './i18n.ts';

/** All words of a language are one file: they are small, and each file would be a request. */
const files = {
  th: () => import('@krapao/phrases/words-th'),
  la: () => import('@krapao/phrases/words-la'),
  en: () => import('@krapao/phrases/words-en'),
} as const satisfies Record<Language, () => Promise<Record<Word, object>>>;
const wanted = new Set<Word>();

/**
 * Adds words in the language shown (or the one given) and remembers that they are in use, so that a change of language
 * adds them too. Loads the file of the language unless the words are there already.
 */
export async function loadWords(words: readonly Word[], language: Language = currentLanguage()): Promise<void> {
  for (const word of words) wanted.add(word);
  const missing = words.filter((word) => !hasWords(language, word));
  if (missing.length === 0) return;
  const texts: Record<Word, object> = await files[language]();
  for (const word of missing) addWords(language, word, texts[word]);
}

/** Every word in use so far. */
export const wordsInUse = (): Word[] => [...wanted];
