import type { Language } from '@krapao/contract/languages';

/** One letter of each writing system that a language uses. */
const sampleTexts: Readonly<Record<Language, string>> = { th: 'aก', la: 'aກ', en: 'a' };
/** Maximum wait in ms; on a slower connection the page is shown before its font has loaded. */
const FONT_WAIT_MS = 3_000;

/** Resolves when the fonts of a language have loaded, so that line breaks don't change later. Never rejects. */
export async function fontsReady(language: Language): Promise<void> {
  // One file contains all weights.
  const fontsLoaded = document.fonts.load('1em Krapao', sampleTexts[language]).catch(() => []);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((resolve) => {
    timer = setTimeout(resolve, FONT_WAIT_MS);
  });
  await Promise.race([fontsLoaded, timeout]);
  clearTimeout(timer);
}
