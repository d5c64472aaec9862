import type { Language } from '@krapao/contract/languages';

/** A letter of each script of a language. */
const samples: Readonly<Record<Language, string>> = { th: 'aก', la: 'aກ', en: 'a' };
/** On a slower connection, the page is shown before its font. */
const PATIENCE_MS = 3_000;

/**
 * Loads the fonts of a language and resolves when they are ready, so that no line breaks change later. Never rejects.
 */
export async function fontsReady(language: Language): Promise<void> {
  // All weights are one file.
  const loading = document.fonts.load('1em Krapao', samples[language]).catch(() => []);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS);
  });
  await Promise.race([loading, patience]);
  clearTimeout(timer);
}
