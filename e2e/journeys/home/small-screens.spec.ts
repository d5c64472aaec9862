import type { Locator } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';
import { openWheel, spinButton } from '../../support/wheel.ts';

/** Expects that a press in the middle and near the corners of an element reaches it. */
async function expectUncovered(target: Locator): Promise<void> {
  await expect(target).toBeInViewport({ ratio: 1 });
  await expect
    .poll(() =>
      target.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const points = [0.2, 0.5, 0.8].flatMap((x) => [0.2, 0.5, 0.8].map((y) => [x, y] as const));
        return points.filter(([x, y]) => {
          const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
          return !hit || !(element.contains(hit) || hit.contains(element));
        });
      }),
    )
    .toEqual([]);
}

for (const [language, width, height] of [
  ['th', 844, 390],
  ['la', 844, 390],
  ['la', 320, 568],
  ['en', 320, 568],
] as const)
  test.describe(`in ${language} at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });
    const translate = translatorFor(language);

    test.beforeEach(({ page }) => page.addInitScript((locale) => localStorage.setItem('locale', locale), language));

    if (width > height)
      test('deposit and withdraw are on the first screen of home, below the balance', async ({
        memberPage: page,
        member,
      }) => {
        await fundWallet(member, 12_345.5);
        await openHome(page);
        await expect(page.locator('.plaque')).toContainText('12,345.50');
        await expect(page.locator('#home-total')).toBeInViewport({ ratio: 1 });
        await expectUncovered(buttonByName(page, translate('home:deposit')));
        await expectUncovered(buttonByName(page, translate('home:withdraw')));
      });

    test('the menu covers neither the button of the wheel nor the first rows of the statement', async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 500);
      await openWheel(page);
      await expectUncovered(spinButton(page, translate));
      const [wheel, menu] = await Promise.all([
        page.locator('canvas').evaluate((canvas) => canvas.parentElement?.getBoundingClientRect().bottom),
        page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
      ]);
      expect(wheel).toBeLessThanOrEqual(menu?.y ?? 0);
      await page.goto('/user/statement');
      await expectUncovered(page.getByRole('heading', { level: 2 }).first());
      const homeButton = page.locator('.menu-home');
      const [button, menuBox] = await Promise.all([
        homeButton.boundingBox(),
        page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
      ]);
      // Inside the menu, but for its rounded edge.
      expect(button?.y).toBeGreaterThanOrEqual((menuBox?.y ?? 0) - 8);
    });
  });

test.describe('the row of games', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('has names of two lines, which are not cut [R-WALLET-04]', async ({ memberPage: page }) => {
    const translate = translatorFor('th');
    await openHome(page);
    const row = page.getByRole('region', { name: translate('lobby:row') });
    await expect(row.getByRole('listitem').first()).toBeVisible();
    const cutNames = await row
      .locator('li button > span:last-child')
      .evaluateAll((names) =>
        names
          .filter((name) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1)
          .map((name) => name.textContent),
      );
    expect(cutNames).toEqual([]);
    const [rowBox, menu] = await Promise.all([
      row.boundingBox(),
      page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
    ]);
    expect((rowBox?.y ?? 0) + (rowBox?.height ?? 0)).toBeLessThanOrEqual(menu?.y ?? 0);
  });
});
