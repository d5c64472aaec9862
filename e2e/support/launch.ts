import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumPath, flags } from './browser.ts';
import { appUrl, type Member } from './member.ts';

export type { Browser, Page };
/** Screen on which a page opens and measures itself. */
export type Screen = { width: number; height: number };

/** The browser of the journeys, for programs that are no tests. */
export const launch = (): Promise<Browser> => chromium.launch({ executablePath: chromiumPath(), args: flags });

/** A window with nothing in its caches, and a member's session in it. */
export async function windowOf(browser: Browser, { token }: Member, viewport: Screen): Promise<BrowserContext> {
  const window = await browser.newContext({
    baseURL: appUrl(),
    viewport,
    hasTouch: true,
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
  });
  await window.addInitScript((value) => localStorage.setItem('token', value), token);
  return window;
}
