import { readdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';
import { type Language, readPhrases } from './translate.ts';

// The baht sign is in the Thai block, but belongs to every language.
const FOREIGN_SCRIPTS: Readonly<Record<Language, RegExp | undefined>> = {
  th: /[\u0e01-\u0e3a\u0e40-\u0e5b]/,
  la: /[\u0e81-\u0edf]/,
  en: undefined,
};
/** Each language is called by its own name everywhere. */
const LANGUAGE_NAMES = ['ไทย', 'ລາວ', 'English'];
const PHRASE_FILES = readdirSync(new URL('../../phrases/th/', import.meta.url)).map((file) =>
  file.replace('.json', ''),
);
const KEY_WITH_WORD = new RegExp(`\\b(?:${PHRASE_FILES.join('|')}|errorMsg)[:.][A-Za-z_]\\w*`);

/**
 * Two adjacent lower-case Latin words indicate an untranslated text. Names are capitalized, and the 404 page shows its
 * English name beside the translated one.
 */
const ENGLISH_TEXT = /\b(?!not found)[a-z]{2,} [a-z]{2,}\b/;

/**
 * Every text of a page, visible or for screen readers: texts, names, placeholders, alternatives, the title. Excludes
 * elements marked with another language or `translate=no`.
 */
const readPageTexts = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const foundTexts = new Set([document.title]);
    const treeWalker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = treeWalker.nextNode(); node; node = treeWalker.nextNode()) {
      if (node instanceof Element) {
        const names = ['aria-label', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt', 'title'];
        for (const name of names) foundTexts.add(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest('script, style, noscript, body [lang], [translate=no]'))
        foundTexts.add(node.textContent ?? '');
    }
    return [...foundTexts].map((text) => text.trim()).filter(Boolean);
  });

/**
 * Texts on the page that are not in its language: characters of another script, phrases of another language, phrase
 * keys, unfilled placeholders.
 * @param data texts that are the same in every language: names, texts of the operator
 */
export async function findForeignWords(page: Page, language: Language, data: readonly string[]): Promise<string[]> {
  const ownPhrases = readPhrases(language);
  const ownTexts = new Set(ownPhrases.values());
  const otherLanguages = (['th', 'la', 'en'] as const).filter((otherLanguage) => otherLanguage !== language);
  const keys = [...ownPhrases.keys()].flatMap((key) => [key, key.slice(key.indexOf(':') + 1)]);
  const foreignTexts = new Set([
    ...keys,
    ...otherLanguages.flatMap((otherLanguage) => [...readPhrases(otherLanguage).values()]),
  ]);
  const allowedTexts = new Set([...LANGUAGE_NAMES, ...data]);
  const isForeign = (text: string): boolean =>
    (language !== 'en' && ENGLISH_TEXT.test(text)) ||
    (foreignTexts.has(text) && !ownTexts.has(text)) ||
    KEY_WITH_WORD.test(text) ||
    text.includes('{{') ||
    otherLanguages.some((otherLanguage) =>
      FOREIGN_SCRIPTS[otherLanguage]?.test(
        data.reduce((remainingText, name) => remainingText.replaceAll(name, ''), text),
      ),
    );
  return (await readPageTexts(page)).filter((text) => !allowedTexts.has(text) && isForeign(text));
}

/**
 * Asserts that the page has no text of another language. Waits for texts that still load after a change of language. A
 * soft assertion, so that every screen is reported.
 * @param data texts that are the same in every language: names, texts of the operator
 * @param screenName name of the screen, for the message
 */
export const expectOnlyLanguage = (
  page: Page,
  language: Language,
  data: readonly string[],
  screenName: string,
): Promise<void> =>
  expect
    .configure({ soft: true })
    .poll(() => findForeignWords(page, language, data), screenName)
    .toEqual([]);
