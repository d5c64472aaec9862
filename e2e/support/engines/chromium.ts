import { readFileSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { chromiumPath, CHROMIUM_FLAGS } from '../browser.ts';
import { type BrowserEngine, WINDOW_SIZE } from './engine.ts';

const FEATURE_LIST = new URL('../../../web/newer-than-supported.json', import.meta.url);
/** The page's security policy requires this feature where the browser has it, so it can't be removed here. */
const REQUIRED_FEATURE = 'trustedTypes';
/** A feature that some supported browsers lack. */
const ADDITIONAL_FEATURES = ['Intl.Segmenter'];

/** Removes functions before a page runs, and the event that Safari added late. Runs in the page. */
function removeFunctions(names: readonly string[]): void {
  for (const name of names) {
    const path = name.split('.');
    const key = path.pop() ?? '';
    const owner = path.reduce<object | undefined>(
      (holder, segment) => holder && Reflect.get(holder, segment),
      globalThis,
    );
    if (owner) Reflect.deleteProperty(owner, key);
  }
  addEventListener('scrollend', (event) => event.stopImmediatePropagation(), true);
}

/** Chromium without the functions that one of the oldest supported browsers lacks. */
export async function openOldestChromium(): Promise<BrowserEngine> {
  const names = (JSON.parse(readFileSync(FEATURE_LIST, 'utf8')) as string[]).filter(
    (name) => name !== REQUIRED_FEATURE,
  );
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });
  const page = await browser.newPage({ viewport: WINDOW_SIZE, locale: 'th-TH' });
  await page.addInitScript(removeFunctions, [...names, ...ADDITIONAL_FEATURES]);
  return {
    open: async (url) => {
      await page.goto(url);
    },
    evaluate: async <T>(expression: string) => {
      const text = await page.evaluate<string>(`(async () => JSON.stringify([(await (${expression})) ?? null]))()`);
      return (JSON.parse(text) as [T])[0];
    },
    perform: async (actions) => {
      for (const source of actions as InputSource[])
        for (const action of source.actions) await performAction(page, action);
    },
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}

type InputAction =
  | { type: 'pointerMove'; x: number; y: number }
  | { type: 'pointerDown' }
  | { type: 'pointerUp' }
  | { type: 'keyDown'; value: string }
  | { type: 'keyUp'; value: string };
type InputSource = { actions: InputAction[] };

async function performAction(page: Page, action: InputAction): Promise<void> {
  if (action.type === 'pointerMove') await page.mouse.move(action.x, action.y);
  else if (action.type === 'pointerDown') await page.mouse.down();
  else if (action.type === 'pointerUp') await page.mouse.up();
  else if (action.type === 'keyDown') await page.keyboard.down(action.value);
  else if (action.type === 'keyUp') await page.keyboard.up(action.value);
}
