import { openBehindBanners, openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { buttonName, earnCoins, spinButton } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('what can be done from home', () => {
  test('six tiles: deposit, withdraw, refresh while the wheel is closed, invite, bonus conditions, refund; each does its own [R-HOME-03]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await openHome(page);
    const tiles = page.getByRole('group', { name: say('home:actions') });
    await expect(tiles.locator(':scope > *')).toHaveText(
      ['deposit', 'withdraw', 'refreshAll', 'invite', 'bonusConditions', 'refund'].map((key) => say(`home:${key}`)),
    );
    for (const [tile, title] of [
      ['deposit', 'deposit:title'],
      ['withdraw', 'withdraw:title'],
    ] as const) {
      await button(tiles, say(`home:${tile}`)).click();
      await expect(dialog(page, say(title))).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    for (const tile of ['invite', 'refund'] as const) {
      await openBehindBanners(page, say, tile);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    const refreshed = page.waitForResponse('**/api/wallet/refresh/slot');
    await button(tiles, say('home:refreshAll')).click();
    expect((await refreshed).status()).toBe(200);
    await button(page, say('home:transfer')).click();
    await expect(dialog(page, say('transfer:title'))).toBeVisible();
    await page.keyboard.press('Escape');
    await tiles.getByRole('link', { name: say('home:bonusConditions') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('bonus:title'));
    await expect(
      page
        .getByRole('region', { name: say('bonus:all') })
        .getByRole('button')
        .first(),
    ).toBeVisible();
  });

  test('while the wheel is open its tile stands in the place of refresh, with the coins that deposits brought [R-HOME-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, 3);
    await openHome(page);
    const tiles = page.getByRole('group', { name: say('home:actions') }).locator(':scope > *');
    await expect(tiles).toHaveCount(6);
    await expect(tiles.nth(2)).toContainText(say('home:spin'));
    await expect(page.getByRole('button', { name: say('home:refreshAll') })).toHaveCount(0);
    await page.getByRole('link', { name: `${say('home:coins_other', { count: 3 })} ${say('home:spin')}` }).click();
    await expect(page).toHaveURL(/\/user\/spin$/);
    await expect(spinButton(page, say)).toHaveAccessibleName(buttonName(say, 3));
  });

  test('until it is known which of the two it is, nothing can be pressed in its place', async ({
    memberPage: page,
  }) => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/spinwheel/active', async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/user/home');
    const tiles = page.getByRole('group', { name: say('home:actions') }).locator(':scope > *');
    await expect(tiles).toHaveCount(6);
    await expect(tiles.nth(2)).toHaveAttribute('aria-busy', 'true');
    await expect(tiles.nth(2)).toHaveText('');
    const place = await tiles.nth(2).boundingBox();
    release();
    await expect(tiles.nth(2)).toContainText(say('home:spin'));
    expect(await tiles.nth(2).boundingBox()).toEqual(place);
  });

  test('an answer that never comes leaves refresh in the wheel’s place', async ({ memberPage: page }) => {
    await page.route('**/api/spinwheel/active', (route) => route.abort());
    await openHome(page);
    await expect(button(page, say('home:refreshAll'))).toBeVisible();
    await expect(page.locator('[data-toast]')).toHaveCount(0);
  });
});
