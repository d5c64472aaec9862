import { readFileSync } from 'node:fs';
import { chromium, type Page } from '@playwright/test';
import { chromiumPath, flags } from '../browser.ts';
import { type Engine, WINDOW } from './engine.ts';

const LIST = new URL('../../../web/newer-than-supported.json', import.meta.url);
/** Required by the page's policy where the browser has it, so that it can't be taken away here. */
const KEPT = 'trustedTypes';
/** Newer than some browsers that the app runs in all the same. */
const BESIDES = ['Intl.Segmenter'];

/** Takes functions away before a page runs, and the event that Safari came to late. Runs in the page. */
function removeAll(names: readonly string[]): void {
  for (const name of names) {
    const path = name.split('.');
    const key = path.pop() ?? '';
    const owner = path.reduce<object | undefined>((holder, part) => holder && Reflect.get(holder, part), globalThis);
    if (owner) Reflect.deleteProperty(owner, key);
  }
  addEventListener('scrollend', (event) => event.stopImmediatePropagation(), true);
}

/** Chromium without the functions that one of the oldest supported browsers lacks. */
export async function openOldestChromium(): Promise<Engine> {
  const names = (JSON.parse(readFileSync(LIST, 'utf8')) as string[]).filter((name) => name !== KEPT);
  const browser = await chromium.launch({ executablePath: chromiumPath(), args: flags });
  const page = await browser.newPage({ viewport: WINDOW, locale: 'th-TH' });
  await page.addInitScript(removeAll, [...names, ...BESIDES]);
  return {
    open: async (url) => {
      await page.goto(url);
    },
    evaluate: async <T>(expression: string) => {
      const text = await page.evaluate<string>(`(async () => JSON.stringify([(await (${expression})) ?? null]))()`);
      return (JSON.parse(text) as [T])[0];
    },
    perform: async (actions) => {
      for (const source of actions as Source[]) for (const action of source.actions) await perform(page, action);
    },
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}

type Action =
  | { type: 'pointerMove'; x: number; y: number }
  | { type: 'pointerDown' }
  | { type: 'pointerUp' }
  | { type: 'keyDown'; value: string }
  | { type: 'keyUp'; value: string };
type Source = { actions: Action[] };

async function perform(page: Page, action: Action): Promise<void> {
  if (action.type === 'pointerMove') await page.mouse.move(action.x, action.y);
  else if (action.type === 'pointerDown') await page.mouse.down();
  else if (action.type === 'pointerUp') await page.mouse.up();
  else if (action.type === 'keyDown') await page.keyboard.down(action.value);
  else if (action.type === 'keyUp') await page.keyboard.up(action.value);
}
