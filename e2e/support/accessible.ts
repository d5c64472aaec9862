import { readFileSync } from 'node:fs';
import type { Page, ViewportSize } from '@playwright/test';
import type Axe from 'axe-core';
import type { RunOnly } from 'axe-core';
import { expect } from './test.ts';
import { type Look, settled } from './tour.ts';

/** Within the page, once its text was evaluated there. */
declare const axe: typeof Axe;

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export const PHONE: ViewportSize = { width: 390, height: 844 };
export const DESK: ViewportSize = { width: 1280, height: 1024 };

/** Text of axe-core. The builder for Playwright would have it parsed again for each look, which takes as long as the look. */
const AXE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** What axe-core finds wrong with what a page shows now, by rule. */
export async function faultsOf(page: Page): Promise<string[]> {
  return listed(page, violationsOf, { type: 'tag', values: STANDARDS });
}

async function listed(page: Page, find: typeof violationsOf, runOnly: RunOnly): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  const violations = await page.evaluate(find, runOnly);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((html) => html.slice(0, 160)).join(' | ')}`);
}

/** Runs in the page. */
const violationsOf = async (runOnly: RunOnly): Promise<{ id: string; nodes: string[] }[]> => {
  const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
};

/**
 * The same in forced colours. Axe-core reads the colour of letters from `-webkit-text-fill-color`, which Chromium reports as the
 * page set it, not as the system forces it: while axe-core runs, it reads `color`. Runs in the page.
 */
const forcedViolationsOf = async (runOnly: RunOnly): Promise<{ id: string; nodes: string[] }[]> => {
  const styles = CSSStyleDeclaration.prototype;
  const own = Reflect.get<CSSStyleDeclaration, 'getPropertyValue'>(styles, 'getPropertyValue');
  styles.getPropertyValue = function read(this: CSSStyleDeclaration, name: string): string {
    return own.call(this, name === '-webkit-text-fill-color' ? 'color' : name);
  };
  try {
    const { violations } = await axe.run({ runOnly, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
  } finally {
    styles.getPropertyValue = own;
  }
};

/** Nothing that axe-core finds, and no small target, in the window as it is; still, so that nothing is measured on its way. */
export const faultlessHere: Look = async (page, name) => {
  const { width } = page.viewportSize() ?? PHONE;
  await settled(page);
  expect.soft(await faultsOf(page), `${name} at ${width}`).toEqual([]);
  expect.soft(await page.evaluate(smallTargets), `${name} at ${width}: targets under 44 px`).toEqual([]);
};

/** The same in the window as it is and in another. */
const faultlessAlsoAt =
  (other: ViewportSize): Look =>
  async (page, name) => {
    const own = page.viewportSize() ?? PHONE;
    for (const size of [other, own]) {
      await page.setViewportSize(size);
      await faultlessHere(page, name);
    }
  };

const softly = expect.configure({ soft: true });

/** Contrast, and edges of all that has one in ordinary colours, while the system forces its own. */
export const faultlessInForcedColours: Look = async (page, name) => {
  await page.evaluate(markEdges);
  await page.emulateMedia({ forcedColors: 'active' });
  // Colours that change are in transition for a moment, even where motion is reduced.
  await settled(page);
  // On a busy machine the page may not have them yet. An edge that is lost stays lost.
  await softly.poll(() => page.evaluate(lostEdges), { message: `${name}, forced colours: edges` }).toEqual([]);
  const contrast = await listed(page, forcedViolationsOf, { type: 'rule', values: ['color-contrast'] });
  expect.soft(contrast, `${name}, forced colours`).toEqual([]);
  await page.emulateMedia({ forcedColors: 'none' });
};

/** No fault that a machine can find, on a phone and on a desk. */
export const faultless: Look = async (page, name) => {
  const isWide = (page.viewportSize()?.width ?? 0) >= DESK.width;
  await faultlessAlsoAt(isWide ? PHONE : DESK)(page, name);
};

/** Nor any in forced colours, which are the system's in whatever language. */
export const faultlessInAllColours: Look = async (page, name) => {
  await faultless(page, name);
  await faultlessInForcedColours(page, name);
};

/** Marks what a ring or shadow sets apart. Runs in the page. */
const markEdges = (): void => {
  const all = [...document.querySelectorAll('button, a, section, article, dialog > div, dialog div, main div')];
  // All are read before the first is marked: a change between two reads has every style computed again.
  const edges = all.map((element) => getComputedStyle(element).boxShadow !== 'none' && element.checkVisibility());
  for (const [index, element] of all.entries()) element.toggleAttribute('data-edge', edges[index]);
};

/** What was marked and has neither border nor outline now, and buttons without one. Runs in the page. */
const lostEdges = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('[data-edge], button')]
    .filter((element) => element.checkVisibility())
    .filter((element) => {
      const { outlineStyle, borderTopStyle, borderTopWidth } = getComputedStyle(element);
      return outlineStyle === 'none' && (borderTopStyle === 'none' || parseFloat(borderTopWidth) < 1);
    })
    .map((element) => `${element.tagName} ${element.className}`);

/**
 * Targets smaller than 44 px in a direction, except links within a sentence and inputs with a larger label.
 * Runs in the page.
 */
const smallTargets = (): string[] =>
  [...document.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, summary')]
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => !(element instanceof HTMLInputElement && element.type === 'file'))
    .filter((element) => getComputedStyle(element).display !== 'inline' && !element.closest('.carousel, .sr-only'))
    .filter((element) => {
      const { width, height } = (element.closest('label') ?? element).getBoundingClientRect();
      return Math.min(width, height) < 43.5 && Math.max(width, height) > 1;
    })
    .map((element) => {
      const { width, height } = element.getBoundingClientRect();
      return `${element.tagName} ${element.className} ${width} × ${height}`;
    });

/**
 * Everything is within the width: neither the page nor a dialog on it scrolls sideways, no text leaves its place or is cut
 * off, and the app's name is in one piece.
 */
export const fits: Look = async (page, name) => {
  await settled(page);
  // The wheel follows a window half a second after it came to rest.
  const soft = expect.configure({ soft: true });
  await soft.poll(() => page.evaluate(sideways), name).toEqual([]);
  await soft.poll(() => page.evaluate(outOfPlace), name).toEqual([]);
  expect.soft(await page.evaluate(linesOfName), `${name}: the app's name`).toBeLessThanOrEqual(1);
};

/** What can be scrolled sideways, but for the carousels, which are made for it. Runs in the page. */
const sideways = (): string[] =>
  [document.documentElement, ...document.querySelectorAll('dialog, dialog *, main *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter(
      (element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX),
    )
    .filter((element) => !element.closest('section[aria-roledescription], [role=group]'))
    .map((element) => `${element.tagName} ${element.className} ${element.scrollWidth} > ${element.clientWidth}`);

/** Texts that reach over the right edge of the box that they stand in, or are cut off above or below. Runs in the page. */
const outOfPlace = (): string[] => {
  const found: string[] = [];
  const passing = (from: Element, over: (box: Element) => boolean): Element => {
    let box = from;
    while (box.parentElement && over(box)) box = box.parentElement;
    return box;
  };
  const boxOf = (text: Node): Element | undefined => {
    const own = text.parentElement;
    if (!own?.checkVisibility() || own.closest('.sr-only, [role=group], option, script, style')) return undefined;
    return passing(own, (box) => getComputedStyle(box).display === 'inline');
  };
  const look = (text: Node, box: Element): void => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const { top, right, bottom } = range.getBoundingClientRect();
    const over = right - box.getBoundingClientRect().right;
    if (over > 1 && getComputedStyle(box).overflowX === 'visible') found.push(`${text.textContent ?? ''} by ${over}`);
    const frame = passing(box, (one) => getComputedStyle(one).overflowY === 'visible');
    // The page itself cuts nothing off: it holds still behind a dialog.
    if (frame === document.documentElement) return;
    const edge = frame.getBoundingClientRect();
    const isCut = top < edge.top - 2 || bottom > edge.bottom + 2;
    if (isCut && /hidden|clip/.test(getComputedStyle(frame).overflowY)) found.push(`${text.textContent ?? ''} cut off`);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = walker.nextNode(); text; text = walker.nextNode()) {
    const box = boxOf(text);
    if (box) look(text, box);
  }
  return found;
};

/** How many lines the name in the top bar takes; none where there is no name. Runs in the page. */
const linesOfName = (): number => {
  const name = document.querySelector('header p span');
  const range = document.createRange();
  if (name) range.selectNodeContents(name);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
};

/** Latin words of visible text that are broken across lines. Runs in the page. */
const brokenWords = (): string[] => {
  const broken: string[] = [];
  const texts = document.createTreeWalker(
    document.querySelector('dialog[open]') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (!text.parentElement?.checkVisibility() || text.parentElement.closest('.sr-only, script, option')) continue;
    for (const { 0: word, index } of text.data.matchAll(/[A-Za-z]{2,}|[\d.,]{2,}/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top)),
      );
      if (lines.size > 1) broken.push(`${word} in ${text.data}`);
    }
  }
  return broken;
};

/** At the size of text that is set, no word is broken into letters and nothing has to be scrolled sideways. */
export const wholeWords: Look = async (page, name) => {
  await settled(page);
  expect.soft(await page.evaluate(brokenWords), `${name}: broken words`).toEqual([]);
  await fits(page, name);
};
