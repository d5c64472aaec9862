import { readFileSync } from 'node:fs';
import { htmlLang } from '@krapao/contract/languages';
import type { Locator, Page } from '@playwright/test';
import type { Language } from '../../e2e/support/translate.ts';

/** Size of a video frame in CSS pixels: the phone's screen below a band with the text of the step. */
export const FRAME = { width: 390, height: 844 };
const BAND_HEIGHT = 112;
/** Size of the screen. */
export const SCREEN = { width: FRAME.width, height: FRAME.height - BAND_HEIGHT };

/** An area of the screen in pixels. */
export type Box = NonNullable<Awaited<ReturnType<Locator['boundingBox']>>>;
/** `look` frames an area; `near` shows the position of the finger, `tap` the tap. */
export type Mark = { kind: 'look' | 'near' | 'tap'; box: Box };
export type FrameParts = {
  /** PNG of the screen. */
  screen: Buffer;
  /** Small text above: the number of the step. */
  above: string;
  text: string;
  mark?: Mark | undefined;
};

const FONTS_FOLDER = new URL('../../web/src/styles/fonts/', import.meta.url);
const fontFace = (name: string): string => {
  const data = readFileSync(new URL(`${name}.woff2`, FONTS_FOLDER)).toString('base64');
  return `@font-face{font-family:${name};font-weight:400 700;src:url(data:font/woff2;base64,${data})}`;
};

/** The colours are those of the app's tokens. */
const FRAME_STYLES = `
  ${['latin', 'thai', 'lao', 'kip'].map(fontFace).join('')}
  body { margin: 0; width: ${FRAME.width}px; height: ${FRAME.height}px; overflow: hidden; background: #0e060d;
    color: #f8eedf; font: 600 19px/1.5 latin, thai, lao, kip }
  header { box-sizing: border-box; height: ${BAND_HEIGHT}px; padding: 0 20px; display: flex; flex-direction: column;
    justify-content: center; text-align: center; text-wrap: balance; border-bottom: 2px solid #8f6420 }
  header b { display: inline-block; font-weight: inherit }
  header small { color: #e6b860; font-size: 14px }
  main { position: relative; height: ${SCREEN.height}px }
  img { display: block; width: 100%; height: 100% }
  i { position: absolute; box-sizing: border-box; border: 3px solid #f7dc9d; outline: 2px solid #0e060d }
  .near, .tap { border-radius: 50%; translate: -50% -50% }
  .near { width: 76px; height: 76px }
  .tap { width: 56px; height: 56px; background: #f7dc9d88 }
  .look { border-radius: 14px }`;

const MARK_MARGIN = 6;

function markHtml({ kind, box: { x, y, width, height } }: Mark): string {
  const position =
    kind === 'look'
      ? `left:${x - MARK_MARGIN}px;top:${y - MARK_MARGIN}px;width:${width + 2 * MARK_MARGIN}px;height:${height + 2 * MARK_MARGIN}px`
      : `left:${x + width / 2}px;top:${y + height / 2}px`;
  return `<i class="${kind}" style="${position}"></i>`;
}

/** Breaks text only at spaces: dictionaries for Thai and Lao lack some words. Runs in the page. */
function setPhrases(element: Element, text: string): void {
  const phrases = text.split(' ').map((phrase) => Object.assign(document.createElement('b'), { textContent: phrase }));
  element.replaceChildren(...phrases.flatMap((phrase, i) => (i === 0 ? [phrase] : [' ', phrase])));
}

/** Draws frames in a browser, which renders Thai and Lao correctly. @param page resized to a frame */
export async function openStudio(page: Page, language: Language): Promise<(parts: FrameParts) => Promise<Buffer>> {
  await page.setViewportSize(FRAME);
  await page.setContent(
    `<html lang="${htmlLang[language]}"><style>${FRAME_STYLES}</style><header><small></small><span></span></header><main></main>`,
  );
  return async ({ screen, above, text, mark }) => {
    await page.locator('small').evaluate((element, text) => (element.textContent = text), above);
    await page.locator('span').evaluate(setPhrases, text);
    const html = `<img src="data:image/png;base64,${screen.toString('base64')}">${mark ? markHtml(mark) : ''}`;
    await page.locator('main').evaluate(async (element, innerHtml) => {
      element.innerHTML = innerHtml;
      await element.querySelector('img')?.decode();
      await document.fonts.ready;
    }, html);
    return page.screenshot();
  };
}
