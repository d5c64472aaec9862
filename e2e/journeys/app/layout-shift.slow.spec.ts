import type { Page } from '@playwright/test';
import { fund } from '../../support/money.ts';
import { overSlowLine } from '../../support/slow-line.ts';
import { expect, test } from '../../support/test.ts';

const SHIFT_MAX = 0.02;
/** Those that a member comes to by the menu and the tiles. Home, which may not move at all, has a journey of its own. */
const PAGES = ['profile', 'spin', 'bonus', 'statement', 'contact'];

type Shift = { value: number; sources: string[] };

/** Notes what moves without having been asked to, from the beginning of each page. */
const watchShifts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const shifts: Shift[] = [];
    Object.assign(globalThis, { shifts });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources } = entry as unknown as { value: number; sources: { node: Element | null }[] };
        shifts.push({
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
      await fund(member, 20);
      await watchShifts(page);
      await overSlowLine(page);
      for (const name of PAGES) {
        await page.goto(`/user/${name}`, { timeout: 60_000, waitUntil: 'networkidle' });
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible({ timeout: 30_000 });
        await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0, {
          timeout: 30_000,
        });
        const shifts = await page.evaluate(() => (globalThis as unknown as { shifts: Shift[] }).shifts);
        const sum = shifts.reduce((total, { value }) => total + value, 0);
        expect.soft(sum, `${name}: ${JSON.stringify(shifts)}`).toBeLessThanOrEqual(SHIFT_MAX);
      }
    });
  });
}
