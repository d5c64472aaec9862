import { readdirSync } from 'node:fs';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';
import { type Language, sentences } from './words.ts';

// The baht sign is in the Thai block, but belongs to every language.
const SCRIPTS: Readonly<Record<Language, RegExp | undefined>> = {
  th: /[\u0e01-\u0e3a\u0e40-\u0e5b]/,
  la: /[\u0e81-\u0edf]/,
  en: undefined,
};
/** Each language is called by its own name everywhere. */
const LANGUAGE_NAMES = ['ไทย', 'ລາວ', 'English'];
const WORDS = readdirSync(new URL('../../phrases/th/', import.meta.url)).map((file) => file.replace('.json', ''));
const KEY_WITH_WORD = new RegExp(`\\b(?:${WORDS.join('|')}|errorMsg)[:.][A-Za-z_]\\w*`);

/**
 * Two small words of Latin letters beside each other: an untranslated text. Names begin with a capital, and
 * the page that isn't there has its English name beside its own.
 */
const ENGLISH = /\b(?!not found)[a-z]{2,} [a-z]{2,}\b/;

/**
 * Every text of a page, seen or read aloud: texts, names, placeholders, alternatives, the title. Without
 * what the page itself says to be of another language, or of none.
 */
const textsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const found = new Set([document.title]);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) {
        const names = ['aria-label', 'aria-roledescription', 'aria-valuetext', 'placeholder', 'alt', 'title'];
        for (const name of names) found.add(node.getAttribute(name) ?? '');
      } else if (!node.parentElement?.closest('script, style, noscript, body [lang], [translate=no]'))
        found.add(node.textContent ?? '');
    }
    return [...found].map((text) => text.trim()).filter(Boolean);
  });

/**
 * What on the page isn't in its language: letters of another script, a sentence of another language, the key of a
 * sentence, a place in one that was left empty.
 * @param data texts that are the same in every language: names, what the operator wrote
 */
export async function foreignWords(page: Page, language: Language, data: readonly string[]): Promise<string[]> {
  const own = sentences(language);
  const ownSentences = new Set(own.values());
  const others = (['th', 'la', 'en'] as const).filter((other) => other !== language);
  const keys = [...own.keys()].flatMap((key) => [key, key.slice(key.indexOf(':') + 1)]);
  const unwanted = new Set([...keys, ...others.flatMap((other) => [...sentences(other).values()])]);
  const known = new Set([...LANGUAGE_NAMES, ...data]);
  const isForeign = (text: string): boolean =>
    (language !== 'en' && ENGLISH.test(text)) ||
    (unwanted.has(text) && !ownSentences.has(text)) ||
    KEY_WITH_WORD.test(text) ||
    text.includes('{{') ||
    others.some((other) => SCRIPTS[other]?.test(data.reduce((rest, name) => rest.replaceAll(name, ''), text)));
  return (await textsOf(page)).filter((text) => !known.has(text) && isForeign(text));
}

/**
 * Asserts that the page has no text of another language. Waits for texts that still load after a change of language; a soft
 * assertion, so that every screen is reported.
 * @param data texts that are the same in every language: names, what the operator wrote
 * @param where what the page shows, for the message
 */
export const expectOwnWords = (page: Page, language: Language, data: readonly string[], where: string): Promise<void> =>
  expect
    .configure({ soft: true })
    .poll(() => foreignWords(page, language, data), where)
    .toEqual([]);
