// How smoothly the carousels of the home page turn on a phone four times slower than this machine, by the compositor's
// own account of its frames, and how much of the page moves while it loads over a slow line. Uses the system at
// KRAPAO_URL and SIMULATORS_URL, else starts one of its own. Ends by itself
// after some two minutes, and in any case after six.
import { loadavg } from 'node:os';
import { steadily, swipe } from '../../e2e/support/finger.ts';
import { launch, type Browser, type Page, windowOf } from '../../e2e/support/launch.ts';
import { type Member, newMember } from '../../e2e/support/member.ts';
import { overSlowLine } from '../../e2e/support/slow-line.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { endWhenTooBusy, framesHead, framesLine, framesOf, print, SLOWER } from './trace-frames.ts';

const PHONE = { width: 390, height: 844 };
const DESK = { width: 1280, height: 800 };
const TURNS = 4;
/** What was let go has come to rest by then. */
const GLIDE_MS = 700;
/** The page has come to rest by then: agreement asked, dialogs and socket fetched. */
const REST_MS = 5_000;
const LOADED_MS = 60_000;
/** In whichever language: what it is called differs. */
const CAROUSEL = 'section[aria-roledescription]';

type Place = { x: number; y: number };

async function openHome(page: Page): Promise<void> {
  await page.goto('/user/home', { timeout: LOADED_MS });
  const agreement = page.getByRole('dialog');
  await agreement.getByRole('button').nth(1).click({ timeout: LOADED_MS });
  await agreement.waitFor({ state: 'hidden' });
}

/** The sum of what moved by itself (CLS), from nothing in the cache to rest. */
async function shiftOf(browser: Browser, member: Member, screen: typeof PHONE): Promise<number> {
  const window = await windowOf(browser, member, screen);
  const page = await window.newPage();
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
  await overSlowLine(page);
  const session = await window.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.goto('/user/home', { timeout: LOADED_MS });
  await page.locator(CAROUSEL).first().waitFor({ timeout: LOADED_MS });
  await page.waitForTimeout(REST_MS);
  const sum = await page.evaluate(() => (globalThis as unknown as { shift: { sum: number } }).shift.sum);
  await window.close();
  return sum;
}

/** Flings it there and back, as a thumb does. */
async function byFinger(page: Page, place: Place): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    await swipe(page, place, turn % 2 === 0 ? -200 : 200, 24);
    await page.waitForTimeout(GLIDE_MS);
  }
}

/** Drags it there and back by mouse, and lets it glide. */
async function byMouse(page: Page, { x, y }: Place): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) {
    const direction = turn % 2 === 0 ? -1 : 1;
    await page.mouse.move(x, y);
    await page.mouse.down();
    await steadily(60, (step) => page.mouse.move(x + direction * step * 4, y));
    await page.mouse.up();
    await page.waitForTimeout(GLIDE_MS);
  }
}

async function measureFrames(browser: Browser, member: Member): Promise<void> {
  const window = await windowOf(browser, member, PHONE);
  const page = await window.newPage();
  await openHome(page);
  await page.waitForTimeout(REST_MS);
  const session = await window.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  framesHead();
  for (const carousel of await page.locator(CAROUSEL).all()) {
    await carousel.evaluate((element) => element.scrollIntoView({ block: 'center', behavior: 'instant' }));
    const box = await carousel.boundingBox();
    if (!box) continue;
    const place = { x: box.x + box.width / 2, y: box.y + 60 };
    const name = `${(await carousel.getAttribute('aria-label')) ?? ''} (${await carousel.getByRole('listitem').count()})`;
    for (const [way, moves] of [
      ['finger', byFinger],
      ['mouse', byMouse],
    ] as const) {
      framesLine(`${name}, ${way}`, await framesOf(browser, page, () => moves(page, place)));
    }
  }
  await window.close();
}

endWhenTooBusy();
const stop = await startSystem();
const browser = await launch();
try {
  const member = await newMember();
  print('load of this machine', (loadavg()[0] ?? 0).toFixed(1));
  print('', 'CLS');
  print('home over a slow line, phone', (await shiftOf(browser, member, PHONE)).toFixed(4));
  print('home over a slow line, desk', (await shiftOf(browser, member, DESK)).toFixed(4));
  print('');
  await measureFrames(browser, member);
} finally {
  await browser.close();
  await stop();
}
