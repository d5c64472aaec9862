import type { Page } from '@playwright/test';
import { readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import {
  type Coupon,
  earnWheelCoins,
  openWheel,
  readCoupons,
  type SpinReply,
  spinByApi,
  spinOnPage,
} from '../../support/wheel.ts';

const translate = translatorFor('th');
/** Enough spins for a prize of each kind: the probability that one is missing is below 1e-9. */
const COIN_COUNT = 100;

const prizeDialog = (page: Page) => dialogByName(page, translate('spinwheel:prizeTitle'));
const claimButton = (page: Page) => buttonByName(prizeDialog(page), translate('spinwheel:claimConfirm'));

/** Wins a coupon by the API, and shows its spin as the result of the page's next spin. */
async function winOnPage(page: Page, member: Parameters<typeof spinByApi>[0], kind: string): Promise<Coupon> {
  await earnWheelCoins(member, COIN_COUNT);
  for (;;) {
    const result = await spinByApi(member);
    const coupon = (await readCoupons(member)).find(({ _id, prize }) => _id === result.spinId && prize.kind === kind);
    if (!coupon) continue;
    const spinReply: SpinReply = { success: true, error: null, result };
    await page.route('**/api/spinwheel/spin', (route) => route.fulfill({ json: spinReply }), { times: 1 });
    return coupon;
  }
}

test.describe('a prize', () => {
  test('a money prize is claimed by one click in its dialog, which says where the money goes', async ({
    memberPage: page,
    member,
  }) => {
    const coupon = await winOnPage(page, member, 'MONEY');
    const { wallet } = await readWallet(member);
    await openWheel(page);
    await spinOnPage(page, translate);
    await expect(prizeDialog(page)).toContainText(coupon.prize.slice.label);
    await claimButton(page).click();
    await expect(dialogByName(page, translate('spinwheel:claimedTitle'))).toContainText(coupon.prize.slice.label);
    expect((await readWallet(member)).wallet.amount).toBe(wallet.amount + coupon.amount);
    expect(await readCoupons(member)).not.toContainEqual(expect.objectContaining({ _id: coupon._id }));
    await buttonByName(page.getByRole('dialog'), translate('common:ok')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('a prize with a condition shows it before the claim, and is claimed once however often the button is clicked', async ({
    memberPage: page,
    member,
  }) => {
    const coupon = await winOnPage(page, member, 'COINS');
    const condition = { base: 100, target: 150, floor: 10, turnoverTarget: null };
    await page.route('**/api/spinwheel/coupon', async (route) => {
      const coupons = [{ ...coupon, amount: 100, prize: { ...coupon.prize, kind: 'MONEY' }, condition }];
      await route.fulfill({ json: { coupons } });
    });
    let claimRequests = 0;
    await page.route('**/api/spinwheel/coupon/claim', async (route) => {
      claimRequests += 1;
      await route.continue();
    });
    await openWheel(page);
    await spinOnPage(page, translate);
    await expect(prizeDialog(page)).toContainText(translate('spinwheel:goesToLocked', { amount: '฿100.00' }));
    await expect(prizeDialog(page)).toContainText(
      translate('spinwheel:locks.target', { base: '฿100.00', target: '฿150.00' }),
    );
    // Keeping the coupon takes one press too, of a button of the same size.
    const [claimBox, keepBox] = await Promise.all(
      [claimButton(page), buttonByName(prizeDialog(page), translate('spinwheel:prizeClose'))].map((button) =>
        button.boundingBox(),
      ),
    );
    expect([keepBox?.height, Math.round(keepBox?.width ?? 0)]).toEqual([
      claimBox?.height,
      Math.round(claimBox?.width ?? 0),
    ]);
    await claimButton(page).evaluate((button: HTMLElement) => {
      for (let press = 0; press < 10; press += 1) button.click();
    });
    await expect(dialogByName(page, translate('spinwheel:claimedTitle'))).toBeVisible();
    expect(claimRequests).toBe(1);
  });

  test('a refused claim of a prize shows the reason, and its coupon stays in the list', async ({
    memberPage: page,
    member,
  }) => {
    const coupon = await winOnPage(page, member, 'MONEY');
    const refusal = { success: false, error: 'BONUS_ALREADY_ACTIVE', result: null };
    await page.route('**/api/spinwheel/coupon/claim', (route) => route.fulfill({ json: refusal }));
    await openWheel(page);
    await spinOnPage(page, translate);
    await claimButton(page).click();
    const failure = dialogByName(page, translate('spinwheel:claimFailed'));
    await expect(failure).toContainText(translate('spinwheel:error.BONUS_ALREADY_ACTIVE'));
    await buttonByName(failure, translate('common:ok')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByRole('table', { name: translate('spinwheel:coupons') })).toContainText(
      coupon.prize.slice.label,
    );
  });

  test('a prize of goods, or one without a reachable coupon, has no claim button in its dialog', async ({
    memberPage: page,
    member,
  }) => {
    await winOnPage(page, member, 'MONEY');
    await page.route('**/api/spinwheel/coupon', (route) => route.fulfill({ json: { coupons: [] } }));
    await openWheel(page);
    await spinOnPage(page, translate);
    await expect(buttonByName(prizeDialog(page), translate('spinwheel:prizeClose'))).toBeEnabled();
    await expect(claimButton(page)).toHaveCount(0);
  });
});
