// `npm run lab -- bench wheel`: frame rate of the spin wheel on a phone with a slow CPU, from the compositor's trace. Uses the system at
// KRAPAO_URL and SIMULATORS_URL, else starts one. Takes a minute and a half, at most six minutes.
import { loadavg } from 'node:os';
import { launchChromium, type Browser, type Page, openMemberWindow } from '../../e2e/support/launch.ts';
import { newMember } from '../../e2e/support/member.ts';
import { fundWallet } from '../../e2e/support/money.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { translatorFor } from '../../e2e/support/translate.ts';
import { limitRunTime, printFramesHead, printFrames, measureFramesOf, print, CPU_SLOWDOWN } from './trace-frames.ts';

const PHONE_SCREEN = { width: 390, height: 844 };
const SPIN_COUNT = 6;
/** Yields more than one coin per spin. */
const DEPOSIT_BAHT = 3_000;
/** Time until the page is idle: dialogs, fonts and socket loaded. */
const IDLE_MS = 5_000;
const TIMEOUT_MS = 60_000;

const phrase = translatorFor('th');
/** Status text after a spin. */
const RESULT_TEXT = new RegExp(`${phrase('spinwheel:won', { label: '' }).trim()}|${phrase('spinwheel:nothing')}`);

/** Presses the button and waits for the result. */
async function spinOnce(page: Page): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${phrase('spinwheel:spin')} · `) }).click();
  const status = page.locator('section[aria-labelledby=wheel-name]').getByRole('status');
  await status.filter({ hasText: phrase('spinwheel:spinning') }).waitFor({ timeout: TIMEOUT_MS });
  await status.filter({ hasText: RESULT_TEXT }).waitFor({ timeout: TIMEOUT_MS });
}

/** Closes the prize dialog. */
async function closePrize(page: Page): Promise<void> {
  await page.waitForTimeout(IDLE_MS);
  const close = page.getByRole('dialog').getByRole('button', { name: phrase('spinwheel:prizeClose'), exact: true });
  if (await close.isVisible()) await close.click();
  await page.waitForTimeout(IDLE_MS);
}

async function measureSpins(browser: Browser): Promise<void> {
  const member = await newMember();
  await fundWallet(member, DEPOSIT_BAHT);
  const openedWindow = await openMemberWindow(browser, member, PHONE_SCREEN);
  const page = await openedWindow.newPage();
  await page.goto('/user/spin', { timeout: TIMEOUT_MS });
  await page.locator('canvas').waitFor({ timeout: TIMEOUT_MS });
  await page.waitForTimeout(IDLE_MS);
  const session = await openedWindow.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  printFramesHead();
  for (let spin = 1; spin <= SPIN_COUNT; spin += 1) {
    printFrames(`spin ${spin}`, await measureFramesOf(browser, page, () => spinOnce(page)));
    await closePrize(page);
  }
  await openedWindow.close();
}

limitRunTime();
const stop = await startSystem();
const browser = await launchChromium();
try {
  print('load of this machine', (loadavg()[0] ?? 0).toFixed(1));
  await measureSpins(browser);
} finally {
  await browser.close();
  await stop();
}
