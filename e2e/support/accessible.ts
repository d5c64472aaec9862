import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect } from './test.ts';
import { type Look, settled } from './tour.ts';

const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What a machine finds wrong with what a page shows now, by the rules that it breaks. */
export async function faultsOf(page: Page): Promise<string[]> {
  // Without frames, as app and games are, it finds the same with less: else each look opens another page for its summary.
  const { violations } = await new AxeBuilder({ page }).withTags(STANDARDS).setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/** No fault that a machine can find; still, so that nothing is measured on its way. */
export const faultless: Look = async (page, name) => {
  await settled(page);
  expect.soft(await faultsOf(page), name).toEqual([]);
};

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
