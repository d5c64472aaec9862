import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { spinButtonName, earnWheelCoins, spinButton } from '../../support/wheel.ts';

const translate = translatorFor('th');

test.describe('what can be done from home', () => {
  test('six tiles open deposit, withdraw, refresh (while the wheel is closed), invite, bonus conditions and refund [R-HOME-03]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await openHome(page);
    const actionTiles = page.getByRole('group', { name: translate('home:actions') });
    await expect(actionTiles.locator(':scope > *')).toHaveText(
      ['deposit', 'withdraw', 'refreshAll', 'invite', 'bonusConditions', 'refund'].map((key) =>
        translate(`home:${key}`),
      ),
    );
    for (const [tile, title] of [
      ['deposit', 'deposit:title'],
      ['withdraw', 'withdraw:title'],
    ] as const) {
      await buttonByName(actionTiles, translate(`home:${tile}`)).click();
      await expect(dialogByName(page, translate(title))).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    for (const tile of ['invite', 'refund'] as const) {
      await openSheetAndCloseBanners(page, translate, tile);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    const walletRefreshed = page.waitForResponse('**/api/wallet/refresh/slot');
    await buttonByName(actionTiles, translate('home:refreshAll')).click();
    expect((await walletRefreshed).status()).toBe(200);
    await buttonByName(page, translate('home:transfer')).click();
    await expect(dialogByName(page, translate('transfer:title'))).toBeVisible();
    await page.keyboard.press('Escape');
    await actionTiles.getByRole('link', { name: translate('home:bonusConditions') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('home:bonusConditions'));
    await expect(
      page
        .getByRole('region', { name: translate('bonus:all') })
        .getByRole('button')
        .first(),
    ).toBeVisible();
  });

  test('while the wheel is open its tile replaces refresh, with the coins that deposits earned [R-HOME-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 3);
    await openHome(page);
    const actionTiles = page.getByRole('group', { name: translate('home:actions') }).locator(':scope > *');
    await expect(actionTiles).toHaveCount(6);
    await expect(actionTiles.nth(2)).toContainText(translate('home:spin'));
    await expect(page.getByRole('button', { name: translate('home:refreshAll') })).toHaveCount(0);
    await page
      .getByRole('link', { name: `${translate('home:coins_other', { count: 3 })} ${translate('home:spin')}` })
      .click();
    await expect(page).toHaveURL(/\/user\/spin$/);
    await expect(spinButton(page, translate)).toHaveAccessibleName(spinButtonName(translate, 3));
  });

  test('until it is known whether the wheel is open, the place of its tile is not clickable', async ({
    memberPage: page,
  }) => {
    const { promise: replyReleased, resolve: releaseReply } = Promise.withResolvers<void>();
    await page.route('**/api/spinwheel/active', async (route) => {
      await replyReleased;
      await route.continue();
    });
    await page.goto('/user/home');
    const actionTiles = page.getByRole('group', { name: translate('home:actions') }).locator(':scope > *');
    await expect(actionTiles).toHaveCount(6);
    await expect(actionTiles.nth(2)).toHaveAttribute('aria-busy', 'true');
    await expect(actionTiles.nth(2)).toHaveText('');
    const tileBox = await actionTiles.nth(2).boundingBox();
    releaseReply();
    await expect(actionTiles.nth(2)).toContainText(translate('home:spin'));
    expect(await actionTiles.nth(2).boundingBox()).toEqual(tileBox);
  });

  test('without a reply about the wheel, its place has the refresh tile', async ({ memberPage: page }) => {
    await page.route('**/api/spinwheel/active', (route) => route.abort());
    await openHome(page);
    await expect(buttonByName(page, translate('home:refreshAll'))).toBeVisible();
    await expect(page.locator('[data-toast]')).toHaveCount(0);
  });
});
