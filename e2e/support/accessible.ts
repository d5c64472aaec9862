import { readFileSync } from 'node:fs';
import type { Page, ViewportSize } from '@playwright/test';
import type Axe from 'axe-core';
import type { RuleObject, RunOnly } from 'axe-core';
import { expect } from './test.ts';
import { type PageCheck, waitForPageSettled } from './visit-pages.ts';

/** Defined in the page once AXE_SOURCE has been evaluated there. */
declare const axe: typeof Axe;

type RuleSelection = { runOnly: RunOnly; rules: RuleObject };

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

export const PHONE_VIEWPORT: ViewportSize = { width: 390, height: 844 };
export const SMALLEST_VIEWPORT: ViewportSize = { width: 320, height: 568 };
export const DESKTOP_VIEWPORT: ViewportSize = { width: 1280, height: 1024 };

/**
 * Source text of axe-core. Playwright's AxeBuilder would parse it again for each check, which takes as long as the
 * check.
 */
const AXE_SOURCE = readFileSync(new URL(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

/** The rules of axe-core that depend on colours, which take most of its time. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Violations that axe-core finds in the current page, by rule. */
export async function findAccessibilityFaults(page: Page, skippedRules: readonly string[] = []): Promise<string[]> {
  return listViolations(page, findViolationsInPage, { type: 'tag', values: STANDARDS }, skippedRules);
}

async function listViolations(
  page: Page,
  findViolations: typeof findViolationsInPage,
  runOnly: RunOnly,
  skippedRules: readonly string[] = [],
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE_SOURCE);
  const rules = Object.fromEntries(skippedRules.map((rule) => [rule, { enabled: false }]));
  const violations = await page.evaluate(findViolations, { runOnly, rules });
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((html) => html.slice(0, 160)).join(' | ')}`);
}

/** Runs in the page. */
const findViolationsInPage = async (selection: RuleSelection): Promise<{ id: string; nodes: string[] }[]> => {
  const { violations } = await axe.run({ ...selection, resultTypes: ['violations'] });
  return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
};

/**
 * Violations in forced colours. Axe-core reads the text colour from `-webkit-text-fill-color`, for which Chromium
 * reports the page's colour instead of the forced one. During the check `color` is read instead. Runs in the page.
 */
const findForcedColourViolations = async (selection: RuleSelection): Promise<{ id: string; nodes: string[] }[]> => {
  const stylePrototype = CSSStyleDeclaration.prototype;
  const originalMethod = Reflect.get<CSSStyleDeclaration, 'getPropertyValue'>(stylePrototype, 'getPropertyValue');
  stylePrototype.getPropertyValue = function read(this: CSSStyleDeclaration, name: string): string {
    return originalMethod.call(this, name === '-webkit-text-fill-color' ? 'color' : name);
  };
  try {
    const { violations } = await axe.run({ ...selection, resultTypes: ['violations'] });
    return violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => html) }));
  } finally {
    stylePrototype.getPropertyValue = originalMethod;
  }
};

/** Expects no axe-core violation and no small target in the current window. Waits for animations first. */
export const expectAccessible: PageCheck = (page, name) => expectNoFaults(page, name, []);

/** The same without colours, for a page that is also seen in Thai: they don't depend on the language. */
export const expectAccessibleIgnoringColours: PageCheck = (page, name) => expectNoFaults(page, name, COLOUR_RULES);

async function expectNoFaults(page: Page, name: string, skippedRules: readonly string[]): Promise<void> {
  const { width } = page.viewportSize() ?? PHONE_VIEWPORT;
  await waitForPageSettled(page);
  expect.soft(await findAccessibilityFaults(page, skippedRules), `${name} at ${width}`).toEqual([]);
  expect.soft(await page.evaluate(findSmallTargets), `${name} at ${width}: targets under 44 px`).toEqual([]);
}

/** Runs the same check in the current window and in another size. */
const expectAlsoAtSize =
  (otherSize: ViewportSize): PageCheck =>
  async (page, name) => {
    const ownSize = page.viewportSize() ?? PHONE_VIEWPORT;
    for (const size of [otherSize, ownSize]) {
      await page.setViewportSize(size);
      await expectAccessible(page, name);
    }
  };

const softExpect = expect.configure({ soft: true });

/** Checks in forced colours: contrast, and that every element with an edge in ordinary colours still has one. */
export const expectAccessibleInForcedColours: PageCheck = async (page, name) => {
  await page.evaluate(markEdges);
  await page.emulateMedia({ forcedColors: 'active' });
  // Changed colours are in transition for a moment, even with reduced motion.
  await waitForPageSettled(page);
  // On a busy machine the page may not have applied the colours yet. A lost edge stays lost.
  await softExpect.poll(() => page.evaluate(findLostEdges), { message: `${name}, forced colours: edges` }).toEqual([]);
  const contrast = await listViolations(page, findForcedColourViolations, { type: 'rule', values: ['color-contrast'] });
  expect.soft(contrast, `${name}, forced colours`).toEqual([]);
  await page.emulateMedia({ forcedColors: 'none' });
};

/** Expects no automatically detectable violation on a phone and on a desktop. */
export const expectAccessibleOnPhoneAndDesktop: PageCheck = async (page, name) => {
  const isWide = (page.viewportSize()?.width ?? 0) >= DESKTOP_VIEWPORT.width;
  await expectAlsoAtSize(isWide ? PHONE_VIEWPORT : DESKTOP_VIEWPORT)(page, name);
};

/** Runs a check on two phones, and expects targets apart. */
export const expectOnPhones =
  (check: PageCheck): PageCheck =>
  async (page, name) => {
    for (const size of [SMALLEST_VIEWPORT, PHONE_VIEWPORT]) {
      await page.setViewportSize(size);
      await check(page, name);
      const crowded = await page.evaluate(findCrowdedTargets);
      expect.soft(crowded, `${name} at ${size.width}: targets less than 8 px apart`).toEqual([]);
    }
  };

/** Checks the other colour schemes: dark and forced. They don't depend on the language. */
export const expectAccessibleInOtherColours: PageCheck = async (page, name) => {
  await page.emulateMedia({ colorScheme: 'dark' });
  for (const size of [SMALLEST_VIEWPORT, PHONE_VIEWPORT]) {
    await page.setViewportSize(size);
    await waitForPageSettled(page);
    const faults = await listViolations(page, findViolationsInPage, { type: 'rule', values: COLOUR_RULES });
    expect.soft(faults, `${name} at ${size.width}, dark`).toEqual([]);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await expectAccessibleInForcedColours(page, name);
};

/** Expects none in forced colours either, which don't depend on the language. */
export const expectAccessibleInAllColours: PageCheck = async (page, name) => {
  await expectAccessibleOnPhoneAndDesktop(page, name);
  await expectAccessibleInForcedColours(page, name);
};

/** Marks elements that a ring or shadow separates from the background. Runs in the page. */
const markEdges = (): void => {
  const elements = [...document.querySelectorAll('button, a, section, article, dialog > div, dialog div, main div')];
  // Reads all styles before the first mark: a change between two reads forces a style recalculation.
  const hasEdge = elements.map(
    (element) => getComputedStyle(element).boxShadow !== 'none' && element.checkVisibility(),
  );
  for (const [index, element] of elements.entries()) element.toggleAttribute('data-edge', hasEdge[index]);
};

/** Marked elements without a border or outline, and buttons without one. Runs in the page. */
const findLostEdges = (): string[] =>
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
const findSmallTargets = (): string[] =>
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
 * Pairs of targets with less than 8 px between them. Targets of different layers or scrolled boxes pass over each other,
 * so they are not compared. Behind a dialog nothing is a target. Runs in the page.
 */
const findCrowdedTargets = (): string[] => {
  const root = [...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body;
  const layerOf = (element: Element): Element => {
    for (let box = element; box.parentElement; box = box.parentElement) {
      const { position, overflowX, overflowY } = getComputedStyle(box);
      const isScrolled = box !== document.body && /auto|scroll/.test(overflowX + overflowY);
      if (/fixed|sticky/.test(position) || (isScrolled && box !== element)) return box;
    }
    return document.documentElement;
  };
  const selector = 'a[href], button, input, select, textarea, summary';
  const targets = [...root.querySelectorAll<HTMLElement>(selector)]
    .filter((element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    .filter((element) => getComputedStyle(element).display !== 'inline' && !element.closest('.carousel, .sr-only'))
    .map((element) => element.closest('label') ?? element)
    .map((element) => ({ element, layer: layerOf(element), box: element.getBoundingClientRect() }))
    .filter(({ box }) => Math.max(box.width, box.height) > 1);
  const isNested = (first: DOMRect, second: DOMRect): boolean =>
    first.left <= second.left &&
    first.right >= second.right &&
    first.top <= second.top &&
    first.bottom >= second.bottom;
  const nameOf = (element: Element): string =>
    `${element.tagName} ${(element.getAttribute('aria-label') ?? element.textContent).slice(0, 40)}`;
  return targets.flatMap((first, index) =>
    targets.slice(index + 1).flatMap((second) => {
      if (first.element === second.element || first.layer !== second.layer) return [];
      // A button within a field belongs to it.
      if (isNested(first.box, second.box) || isNested(second.box, first.box)) return [];
      const acrossPx = Math.max(first.box.left - second.box.right, second.box.left - first.box.right);
      const downPx = Math.max(first.box.top - second.box.bottom, second.box.top - first.box.bottom);
      const gapPx = Math.max(acrossPx, downPx);
      return gapPx < 7.5 ? [`${nameOf(first.element)} | ${nameOf(second.element)}: ${gapPx.toFixed(1)} px`] : [];
    }),
  );
};

/**
 * Expects that everything fits the width: neither the page nor a dialog scrolls sideways, no text overflows or is cut
 * off, and the app's name stays on one line.
 */
export const expectNoHorizontalOverflow: PageCheck = async (page, name) => {
  await waitForPageSettled(page);
  // The wheel adapts to a resized window half a second after the last resize.
  const soft = expect.configure({ soft: true });
  await soft.poll(() => page.evaluate(findSidewaysScroll), name).toEqual([]);
  await soft.poll(() => page.evaluate(findMisplacedTexts), name).toEqual([]);
  expect.soft(await page.evaluate(countNameLines), `${name}: the app's name`).toBeLessThanOrEqual(1);
};

/** Elements that scroll sideways, except carousels. Runs in the page. */
const findSidewaysScroll = (): string[] =>
  [document.documentElement, ...document.querySelectorAll('dialog, dialog *, main *')]
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
    .filter(
      (element) => element === document.documentElement || /auto|scroll/.test(getComputedStyle(element).overflowX),
    )
    .filter((element) => !element.closest('section[aria-roledescription], [role=group]'))
    .map((element) => `${element.tagName} ${element.className} ${element.scrollWidth} > ${element.clientWidth}`);

/** Texts that overflow the right edge of their box, or are cut off above or below. Runs in the page. */
const findMisplacedTexts = (): string[] => {
  const foundTexts: string[] = [];
  const closestNot = (from: Element, isPassed: (element: Element) => boolean): Element => {
    let element = from;
    while (element.parentElement && isPassed(element)) element = element.parentElement;
    return element;
  };
  const blockElementOf = (text: Node): Element | undefined => {
    const parentElement = text.parentElement;
    if (!parentElement?.checkVisibility() || parentElement.closest('.sr-only, [role=group], option, script, style'))
      return undefined;
    return closestNot(parentElement, (element) => getComputedStyle(element).display === 'inline');
  };
  const checkText = (text: Node, element: Element): void => {
    const range = document.createRange();
    range.selectNodeContents(text);
    const { top, right, bottom } = range.getBoundingClientRect();
    const overflowPx = right - element.getBoundingClientRect().right;
    if (overflowPx > 1 && getComputedStyle(element).overflowX === 'visible')
      foundTexts.push(`${text.textContent ?? ''} by ${overflowPx}`);
    const clippingAncestor = closestNot(element, (item) => getComputedStyle(item).overflowY === 'visible');
    // The document element cuts nothing off: behind a dialog it only stops scrolling.
    if (clippingAncestor === document.documentElement) return;
    const frameBox = clippingAncestor.getBoundingClientRect();
    const isCut = top < frameBox.top - 2 || bottom > frameBox.bottom + 2;
    // Long names end with an ellipsis on purpose.
    const isClamped = getComputedStyle(clippingAncestor).webkitLineClamp !== 'none';
    if (isCut && !isClamped && /hidden|clip/.test(getComputedStyle(clippingAncestor).overflowY))
      foundTexts.push(`${text.textContent ?? ''} cut off`);
  };
  const textWalker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = textWalker.nextNode(); text; text = textWalker.nextNode()) {
    const element = blockElementOf(text);
    if (element) checkText(text, element);
  }
  return foundTexts;
};

/** Number of lines of the name in the top bar; 0 without a name. Runs in the page. */
const countNameLines = (): number => {
  const name = document.querySelector('header p span');
  const range = document.createRange();
  if (name) range.selectNodeContents(name);
  return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
};

/** Latin words in visible text that are broken across lines. Runs in the page. */
const findBrokenWords = (): string[] => {
  const brokenWords: string[] = [];
  const texts = document.createTreeWalker(
    document.querySelector('dialog[open]') ?? document.body,
    NodeFilter.SHOW_TEXT,
  );
  const range = document.createRange();
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (!text.parentElement?.checkVisibility() || text.parentElement.closest('.sr-only, script, option')) continue;
    for (const { 0: latinWord, index } of text.data.matchAll(/[A-Za-z]{2,}|[\d.,]{2,}/g)) {
      range.setStart(text, index);
      range.setEnd(text, index + latinWord.length);
      const lineTops = new Set(
        [...range.getClientRects()].filter(({ width }) => width > 1).map(({ top }) => Math.round(top)),
      );
      if (lineTops.size > 1) brokenWords.push(`${latinWord} in ${text.data}`);
    }
  }
  return brokenWords;
};

/** Expects that no word is broken and nothing scrolls sideways at the current text size. */
export const expectNoBrokenWords: PageCheck = async (page, name) => {
  await waitForPageSettled(page);
  expect.soft(await page.evaluate(findBrokenWords), `${name}: broken words`).toEqual([]);
  await expectNoHorizontalOverflow(page, name);
};
