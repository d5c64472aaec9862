// How smoothly the spin wheel spins on a phone four times slower than this machine, by the compositor's own account of its
// frames. Uses the system at KRAPAO_URL and SIMULATORS_URL, else starts one of its own. Ends by itself after a minute and a
// half, and in any case after six.
import { loadavg } from 'node:os';
import { launch, type Browser, type Page, windowOf } from '../../e2e/support/launch.ts';
import { newMember } from '../../e2e/support/member.ts';
import { fund } from '../../e2e/support/money.ts';
import startSystem from '../../e2e/support/start-system.ts';
import { speaking } from '../../e2e/support/words.ts';
import { endWhenTooBusy, framesHead, framesLine, framesOf, print, SLOWER } from './trace-frames.ts';

const PHONE = { width: 390, height: 844 };
const SPINS = 6;
/** More than a coin for each spin. */
const DEPOSIT_BAHT = 3_000;
/** The page has come to rest by then: dialogs, letters and socket fetched. */
const REST_MS = 5_000;
const PATIENCE_MS = 60_000;

const say = speaking('th');
/** What stands there when the wheel does. */
const OVER = new RegExp(`${say('spinwheel:won', { label: '' }).trim()}|${say('spinwheel:nothing')}`);

/** Spins it by the button until it stands and tells what was won. */
async function spinOnce(page: Page): Promise<void> {
  await page.getByRole('button', { name: new RegExp(`^${say('spinwheel:spin')} · `) }).click();
  const told = page.locator('section[aria-labelledby=wheel-name]').getByRole('status');
  await told.filter({ hasText: say('spinwheel:spinning') }).waitFor({ timeout: PATIENCE_MS });
  await told.filter({ hasText: OVER }).waitFor({ timeout: PATIENCE_MS });
}

/** Closes what is shown of a prize. */
async function putAway(page: Page): Promise<void> {
  await page.waitForTimeout(REST_MS);
  const close = page.getByRole('dialog').getByRole('button', { name: say('spinwheel:prizeClose'), exact: true });
  if (await close.isVisible()) await close.click();
  await page.waitForTimeout(REST_MS);
}

async function measureSpins(browser: Browser): Promise<void> {
  const member = await newMember();
  await fund(member, DEPOSIT_BAHT);
  const window = await windowOf(browser, member, PHONE);
  const page = await window.newPage();
  await page.goto('/user/spin', { timeout: PATIENCE_MS });
  await page.locator('canvas').waitFor({ timeout: PATIENCE_MS });
  await page.waitForTimeout(REST_MS);
  const session = await window.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  framesHead();
  for (let spin = 1; spin <= SPINS; spin += 1) {
    framesLine(`spin ${spin}`, await framesOf(browser, page, () => spinOnce(page)));
    await putAway(page);
  }
  await window.close();
}

endWhenTooBusy();
const stop = await startSystem();
const browser = await launch();
try {
  print('load of this machine', (loadavg()[0] ?? 0).toFixed(1));
  await measureSpins(browser);
} finally {
  await browser.close();
  await stop();
}
