import type { Page } from '@playwright/test';
import { fundWallet } from '../../support/money.ts';
import { slowDownNetwork } from '../../support/slow-network.ts';
import { expect, test } from '../../support/test.ts';

const SHIFT_MAX = 0.02;
/** Pages of the menu and the tiles. Home has its own journey, because nothing on it may shift. */
const PAGE_NAMES = ['profile', 'spin', 'bonus', 'statement', 'contact'];

type LayoutShift = { value: number; sources: string[] };

/** Records layout shifts without user input, from the start of each page. */
const recordLayoutShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const layoutShifts: LayoutShift[] = [];
    Object.assign(globalThis, { shifts: layoutShifts });
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries()) {
        const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] };
        layoutShifts.push({
          value,
          sources: sources.map(({ node }) =>
            [node?.nodeName, node?.className, node?.textContent?.slice(0, 40)].join(' '),
          ),
        });
      }
    }).observe({ type: 'layout-shift', buffered: true });
  });

for (const [size, viewport] of [
  ['a phone', { width: 390, height: 844 }],
  ['a desk', { width: 1280, height: 800 }],
] as const) {
  test.describe(`on ${size}`, () => {
    test.use({ viewport });

    test('what loads over a slow line takes the place that was kept for it', async ({ memberPage: page, member }) => {
      test.setTimeout(180_000);
      await fundWallet(member, 20);
      await recordLayoutShifts(page);
      await slowDownNetwork(page);
      for (const name of PAGE_NAMES) {
        await page.goto(`/user/${name}`, { timeout: 60_000, waitUntil: 'networkidle' });
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 30_000 });
        await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0, {
          timeout: 30_000,
        });
        const layoutShifts = await page.evaluate(() => (globalThis as unknown as { shifts: LayoutShift[] }).shifts);
        const totalShift = layoutShifts.reduce((total, { value }) => total + value, 0);
        expect.soft(totalShift, `${name}: ${JSON.stringify(layoutShifts)}`).toBeLessThanOrEqual(SHIFT_MAX);
      }
    });
  });
}
