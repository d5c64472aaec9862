import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumPath, CHROMIUM_FLAGS } from './browser.ts';
import { appUrl, type Member } from './member.ts';

export type { Browser, Page };
/** Screen on which a page opens and measures itself. */
export type WindowSize = { width: number; height: number };

/** Starts the journeys' browser, for programs that are no tests. */
export const launchChromium = (): Promise<Browser> =>
  chromium.launch({ executablePath: chromiumPath(), args: CHROMIUM_FLAGS });

/** Opens a window with empty caches and a member's session. */
export async function openMemberWindow(
  browser: Browser,
  { token }: Member,
  viewport: WindowSize,
): Promise<BrowserContext> {
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
