import type { Browser, BrowserContext, Page } from '@playwright/test';
import { appUrl, type Member } from './member.ts';

/** 1.6 Mbit/s down, 0.75 Mbit/s up, 562.5 ms away: a slow phone's line. */
const LINE = { offline: false, latency: 562.5, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** How many times slower than this machine the page's processor is. */
const SLOWER = 4;
const PHONE = { width: 390, height: 844 };
const LOADED_MS = 90_000;
/** After the last answer: pictures are painted, timers of the first screen have run. */
const REST_MS = 2_500;
/** What an interaction paints is painted by then. */
const PAINTED_MS = 1_500;

/** A page that the app has not taken over, and what is still a skeleton on it. */
const LOADING = '[inert] h1, [aria-busy=true], main [role=status][aria-label]';

/** What a visitor sees and waits for, times in ms since the address was asked for. */
export type Visit = {
  /** First contentful paint. */
  first: number;
  /** Largest contentful paint, and what it is. */
  largest: number;
  largestIs: string;
  longestTask: number;
  /** Sum of layout shifts without input. */
  shift: number;
  /** Interaction to next paint of the first press. */
  press: number;
  /** Requests until the page came to rest. */
  requests: number;
};

/** A window of a phone, of a visitor or with a member's session, who has accepted the agreement before. */
export async function openWindow(browser: Browser, member: Member | undefined): Promise<BrowserContext> {
  const window = await browser.newContext({
    baseURL: appUrl(),
    viewport: PHONE,
    hasTouch: true,
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
  });
  if (!member) return window;
  const answer = await fetch(`${appUrl()}/api/lookup/info`);
  const { agreementVersion } = (await answer.json()) as { agreementVersion: string };
  // As a login and a visit leave them behind.
  await window.addCookies([
    { name: 'member', value: '1', url: appUrl() },
    { name: 'language', value: 'TH', url: appUrl() },
  ]);
  const stored = { token: member.token, 'remember-agreement': agreementVersion };
  await window.addInitScript((values) => {
    for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value);
  }, stored);
  return window;
}

type Noted = Omit<Visit, 'requests'>;

/** Collects the browser's own measurements from the beginning of the page. */
function note(): void {
  const noted: Noted = { first: 0, largest: 0, largestIs: '', longestTask: 0, shift: 0, press: 0 };
  Object.assign(globalThis, { noted });
  type Entry = {
    name: string;
    startTime: number;
    duration: number;
    element?: { nodeName: string; id: string; textContent: string | null } | null;
    value: number;
    hadRecentInput: boolean;
    interactionId: number;
  };
  const observe = (type: string, see: (entry: Entry) => void): void => {
    const read = (list: { getEntries: () => unknown }): void => (list.getEntries() as Entry[]).forEach(see);
    // Structural: the DOM types have no durationThreshold.
    const observer: { observe: (options: never) => void } = new PerformanceObserver(read);
    observer.observe({ type, buffered: true, durationThreshold: 16 } as never);
  };
  observe('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') noted.first = startTime;
  });
  observe('largest-contentful-paint', ({ startTime, element }) => {
    noted.largest = startTime;
    noted.largestIs = [element?.nodeName.toLowerCase(), element?.id, element?.textContent?.slice(0, 24)].join(' ');
  });
  observe('longtask', ({ duration }) => (noted.longestTask = Math.max(noted.longestTask, duration)));
  observe('layout-shift', ({ value, hadRecentInput }) => (noted.shift += hadRecentInput ? 0 : value));
  observe('event', ({ interactionId, duration }) => {
    if (interactionId) noted.press = Math.max(noted.press, duration);
  });
}

async function slowDown(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
}

/** Opens an address over the slow line on the slow processor, waits until it is idle, and presses one element. */
export async function visit(window: BrowserContext, path: string, picture?: string): Promise<Visit> {
  const page = await window.newPage();
  let requests = 0;
  page.on('request', () => (requests += 1));
  await page.addInitScript(note);
  await slowDown(page);
  await page.goto(path, { timeout: LOADED_MS, waitUntil: 'commit' });
  await page.waitForLoadState('load', { timeout: LOADED_MS });
  await page.locator('h1').first().waitFor({ state: 'attached', timeout: LOADED_MS });
  await page.locator(LOADING).first().waitFor({ state: 'detached', timeout: LOADED_MS });
  await page.waitForLoadState('networkidle', { timeout: LOADED_MS }).catch(() => undefined);
  await page.waitForTimeout(REST_MS);
  if (picture) await page.screenshot({ path: picture });
  const atRest = requests;
  const press = page.locator('main button:enabled:visible, nav button:visible, nav a:visible').first();
  await press.tap({ timeout: LOADED_MS });
  await page.waitForTimeout(PAINTED_MS);
  const noted = await page.evaluate(() => (globalThis as unknown as { noted: Noted }).noted);
  await page.close();
  return { ...noted, requests: atRest };
}

/** Waits until the service worker of a page has what it keeps. */
export async function installWorker(window: BrowserContext, path: string): Promise<void> {
  const page = await window.newPage();
  for (let time = 0; time < 2; time += 1) {
    await page.goto(path, { timeout: LOADED_MS, waitUntil: 'networkidle' });
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.waitForTimeout(REST_MS);
  }
  await page.close();
}
