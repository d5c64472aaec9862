// `npm run lab -- bench carousel`: frame rate of the carousels on a phone with a slow CPU, from the compositor's trace, and layout
// shift of the home page over a slow connection. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one. Takes two
// minutes, at most six.
import { loadavg } from 'node:os';
import { launchChromium, type Browser, type Page, openMemberWindow } from '../../e2e/support/launch.ts';
import { type Member, newMember } from '../../e2e/support/member.ts';
import { sendAtPointerRate, swipeHorizontally } from '../../e2e/support/pointer.ts';
import { slowDownNetwork } from '../../e2e/support/slow-network.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { limitRunTime, printFramesHead, printFrames, measureFramesOf, print, CPU_SLOWDOWN } from './trace-frames.ts';

const PHONE_SCREEN = { width: 390, height: 844 };
const DESKTOP_SCREEN = { width: 1280, height: 800 };
const SWIPES = 4;
/** Time for the inertia to end. */
const GLIDE_MS = 700;
/** Time until the page is idle: agreement shown, dialogs and socket loaded. */
const IDLE_MS = 5_000;
const LOAD_TIMEOUT_MS = 60_000;
/** Independent of the language, unlike the label. */
const CAROUSEL_SELECTOR = 'section[aria-roledescription]';

type Point = { x: number; y: number };

async function openHome(page: Page): Promise<void> {
  await page.goto('/user/home', { timeout: LOAD_TIMEOUT_MS });
  const agreement = page.getByRole('dialog');
  await agreement.getByRole('button').nth(1).click({ timeout: LOAD_TIMEOUT_MS });
  await agreement.waitFor({ state: 'hidden' });
}

/** Cumulative layout shift with an empty cache. */
async function shiftOf(browser: Browser, member: Member, screen: typeof PHONE_SCREEN): Promise<number> {
  const browserContext = await openMemberWindow(browser, member, screen);
  const page = await browserContext.newPage();
  await page.addInitScript(() => {
    const shift = { sum: 0 };
    Object.assign(globalThis, { shift });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, hadRecentInput } = entry as unknown as { value: number; hadRecentInput: boolean };
        if (!hadRecentInput) shift.sum += value;
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });
  await slowDownNetwork(page);
  const session = await browserContext.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  await page.goto('/user/home', { timeout: LOAD_TIMEOUT_MS });
  await page.locator(CAROUSEL_SELECTOR).first().waitFor({ timeout: LOAD_TIMEOUT_MS });
  await page.waitForTimeout(IDLE_MS);
  const sum = await page.evaluate(() => (globalThis as unknown as { shift: { sum: number } }).shift.sum);
  await browserContext.close();
  return sum;
}

/** Swipes back and forth. */
async function swipeByFinger(page: Page, point: Point): Promise<void> {
  for (let turn = 0; turn < SWIPES; turn += 1) {
    await swipeHorizontally(page, point, turn % 2 === 0 ? -200 : 200, 24);
    await page.waitForTimeout(GLIDE_MS);
  }
}

/** Drags back and forth by mouse, with inertia. */
async function byMouse(page: Page, { x, y }: Point): Promise<void> {
  for (let turn = 0; turn < SWIPES; turn += 1) {
    const direction = turn % 2 === 0 ? -1 : 1;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await sendAtPointerRate(60, (step) => page.mouse.move(x + direction * step * 4, y));
    await page.mouse.up();
    await page.waitForTimeout(GLIDE_MS);
  }
}

async function measureFrames(browser: Browser, member: Member): Promise<void> {
  const openedWindow = await openMemberWindow(browser, member, PHONE_SCREEN);
  const page = await openedWindow.newPage();
  await openHome(page);
  await page.waitForTimeout(IDLE_MS);
  const session = await openedWindow.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  printFramesHead();
  for (const carousel of await page.locator(CAROUSEL_SELECTOR).all()) {
    await carousel.evaluate((node) => node.scrollIntoView({ block: 'center', behavior: 'instant' }));
    const box = await carousel.boundingBox();
    if (!box) continue;
    const point = { x: box.x + box.width / 2, y: box.y + 60 };
    const name = `${(await carousel.getAttribute('aria-label')) ?? ''} (${await carousel.getByRole('listitem').count()})`;
    for (const [input, move] of [
      ['finger', swipeByFinger],
      ['mouse', byMouse],
    ] as const) {
      printFrames(`${name}, ${input}`, await measureFramesOf(browser, page, () => move(page, point)));
    }
  }
  await openedWindow.close();
}

limitRunTime();
const stop = await startSystem();
const browser = await launchChromium();
try {
  const member = await newMember();
  print('load of this machine', (loadavg()[0] ?? 0).toFixed(1));
  print('', 'CLS');
  print('home over a slow line, phone', (await shiftOf(browser, member, PHONE_SCREEN)).toFixed(4));
  print('home over a slow line, desk', (await shiftOf(browser, member, DESKTOP_SCREEN)).toFixed(4));
  print('');
  await measureFrames(browser, member);
} finally {
  await browser.close();
  await stop();
}
