import type { Language } from '@krapao/contract/languages';

/** A letter of each script that a language is written in. */
const letters: Readonly<Record<Language, string>> = { th: 'aก', la: 'aກ', en: 'a' };
/** A line that is slower than this gets the words first and their letters later. */
const PATIENCE_MS = 3_000;

/**
 * Resolves when the letters of a language are there, so that nothing moves when they come: words that were broken for
 * another letter would take other lines. Begins to fetch them when it is called. Never rejects.
 */
export async function fontsReady(language: Language): Promise<void> {
  // Weights are one file.
  const loading = document.fonts.load('1em Krapao', letters[language]).catch(() => []);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([loading, patience]);
  clearTimeout(timer);
}
