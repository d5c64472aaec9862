import type { Browser, BrowserContext, Page } from '@playwright/test';
import { appUrl, type Member } from './member.ts';

/** 1.6 Mbit/s down, 0.75 Mbit/s up, 562.5 ms away: a slow phone's line. */
const SLOW_NETWORK = { offline: false, latency: 562.5, downloadThroughput: 200_000, uploadThroughput: 93_750 };
/** Factor by which the page's processor is slowed down. */
const CPU_SLOWDOWN = 4;
const PHONE_SIZE = { width: 390, height: 844 };
const LOADED_MS = 90_000;
/** After the last answer: pictures are painted, timers of the first screen have run. */
const REST_MS = 2_500;
/** By then the interaction's result is painted. */
const PAINTED_MS = 1_500;

/** A page before hydration, and its remaining skeletons. */
const LOADING_SELECTOR = '[inert] h1, [aria-busy=true], main [role=status][aria-label]';

/** Measurements of one visit, in ms since the request. */
export type VisitMeasurements = {
  /** First contentful paint. */
  first: number;
  /** Largest contentful paint, and its element. */
  largest: number;
  largestIs: string;
  longestTask: number;
  /** Sum of layout shifts without input. */
  shift: number;
  /** Interaction to next paint of the first press. */
  press: number;
  /** Number of requests until the page was idle. */
  requests: number;
};

/** Opens a phone-sized window, of a visitor or with the session of a member who has accepted the agreement. */
export async function openPhoneWindow(browser: Browser, member: Member | undefined): Promise<BrowserContext> {
  const context = await browser.newContext({
    baseURL: appUrl(),
    viewport: PHONE_SIZE,
    hasTouch: true,
    locale: 'th-TH',
    timezoneId: 'Asia/Bangkok',
  });
  if (!member) return context;
  const reply = await fetch(`${appUrl()}/api/lookup/info`);
  const { agreementVersion } = (await reply.json()) as { agreementVersion: string };
  // The cookies that a login and a visit set.
  await context.addCookies([
    { name: 'member', value: '1', url: appUrl() },
    { name: 'language', value: 'TH', url: appUrl() },
  ]);
  const storedValues = { token: member.token, 'remember-agreement': agreementVersion };
  await context.addInitScript((values) => {
    for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value);
  }, storedValues);
  return context;
}

type PageMeasurements = Omit<VisitMeasurements, 'requests'>;

/** Collects the browser's own measurements from the beginning of the page. */
function recordMeasurements(): void {
  const measurements: PageMeasurements = { first: 0, largest: 0, largestIs: '', longestTask: 0, shift: 0, press: 0 };
  Object.assign(globalThis, { noted: measurements });
  type PerformanceRecord = {
    name: string;
    startTime: number;
    duration: number;
    element?: { nodeName: string; id: string; textContent: string | null } | null;
    value: number;
    hadRecentInput: boolean;
    interactionId: number;
  };
  const observeEntries = (type: string, handleEntry: (entry: PerformanceRecord) => void): void => {
    const readEntries = (entryList: { getEntries: () => unknown }): void =>
      (entryList.getEntries() as PerformanceRecord[]).forEach(handleEntry);
    // Structural: the DOM types have no durationThreshold.
    const observer: { observe: (options: never) => void } = new PerformanceObserver(readEntries);
    observer.observe({ type, buffered: true, durationThreshold: 16 } as never);
  };
  observeEntries('paint', ({ name, startTime }) => {
    if (name === 'first-contentful-paint') measurements.first = startTime;
  });
  observeEntries('largest-contentful-paint', ({ startTime, element }) => {
    measurements.largest = startTime;
    measurements.largestIs = [element?.nodeName.toLowerCase(), element?.id, element?.textContent?.slice(0, 24)].join(
      ' ',
    );
  });
  observeEntries(
    'longtask',
    ({ duration }) => (measurements.longestTask = Math.max(measurements.longestTask, duration)),
  );
  observeEntries('layout-shift', ({ value, hadRecentInput }) => (measurements.shift += hadRecentInput ? 0 : value));
  observeEntries('event', ({ interactionId, duration }) => {
    if (interactionId) measurements.press = Math.max(measurements.press, duration);
  });
}

async function throttlePage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
}

/** Opens an address with a slow network and processor, waits until it is idle, and presses one element. */
export async function measureVisit(
  context: BrowserContext,
  path: string,
  screenshotPath?: string,
): Promise<VisitMeasurements> {
  const page = await context.newPage();
  let requests = 0;
  page.on('request', () => (requests += 1));
  await page.addInitScript(recordMeasurements);
  await throttlePage(page);
  await page.goto(path, { timeout: LOADED_MS, waitUntil: 'commit' });
  await page.waitForLoadState('load', { timeout: LOADED_MS });
  await page.locator('h1').first().waitFor({ state: 'attached', timeout: LOADED_MS });
  await page.locator(LOADING_SELECTOR).first().waitFor({ state: 'detached', timeout: LOADED_MS });
  await page.waitForLoadState('networkidle', { timeout: LOADED_MS }).catch(() => undefined);
  await page.waitForTimeout(REST_MS);
  if (screenshotPath) await page.screenshot({ path: screenshotPath });
  const requestsAtRest = requests;
  const pressedElement = page.locator('main button:enabled:visible, nav button:visible, nav a:visible').first();
  await pressedElement.tap({ timeout: LOADED_MS });
  await page.waitForTimeout(PAINTED_MS);
  const measurements = await page.evaluate(() => (globalThis as unknown as { noted: PageMeasurements }).noted);
  await page.close();
  return { ...measurements, requests: requestsAtRest };
}

/** Waits until a page's service worker has filled its cache. */
export async function installWorker(context: BrowserContext, path: string): Promise<void> {
  const page = await context.newPage();
  for (let time = 0; time < 2; time += 1) {
    await page.goto(path, { timeout: LOADED_MS, waitUntil: 'networkidle' });
    await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
    await page.waitForTimeout(REST_MS);
  }
  await page.close();
}
