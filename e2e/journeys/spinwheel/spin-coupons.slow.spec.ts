import type { Page } from '@playwright/test';
import { readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { type Coupon, earnWheelCoins, openWheel, readWheelSetup, winCouponsByApi } from '../../support/wheel.ts';

const translate = translatorFor('th');
const PER_PAGE = 3;
/** Enough spins: the probability that none of them wins the required prize is 1e-10. */
const COIN_COUNT = 100;

const couponRows = (page: Page) =>
  page.getByRole('table', { name: translate('spinwheel:coupons') }).locator('tbody tr');
const claimOf = (page: Page, { prize }: Coupon) =>
  couponRows(page)
    .getByRole('button', { name: `${translate('spinwheel:claim')} · ${prize.slice.label}` })
    .first();
const isOfKind =
  (prizeKind: string) =>
  ({ prize }: Coupon): boolean =>
    prize.kind === prizeKind;

/** Confirms the claim in its dialog. */
const confirmClaim = (page: Page): Promise<void> =>
  buttonByName(dialogByName(page, translate('spinwheel:claimTitle')), translate('spinwheel:claimConfirm')).click();

/** Shows coupons of the test's own instead of the member's. */
const mockCoupons = (page: Page, coupons: unknown[]): Promise<unknown> =>
  page.route('**/api/spinwheel/coupon', (route) => route.fulfill({ json: { coupons } }));
const buildCoupon = (prizeKind: string, label: string) => ({
  _id: 'one',
  prize: { name: `${label}!`, kind: prizeKind, slice: { code: 'X', label } },
  amount: 1,
  state: 'OPEN',
  condition: null as object | null,
  expiresAt: new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString(),
  createdAt: '2026-01-01T00:00:00.000Z',
});

test.describe('coupons', () => {
  test('coupons are listed three per page with number, prize and expiry [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, COIN_COUNT);
    const coupons = await winCouponsByApi(member, PER_PAGE + 1);
    await openWheel(page);
    await expect(couponRows(page)).toHaveCount(PER_PAGE);
    for (const [index, { prize: couponPrize }] of coupons.slice(0, PER_PAGE).entries()) {
      const row = couponRows(page).nth(index);
      await expect(row.getByRole('cell').first()).toHaveText(String(index + 1));
      await expect(row).toContainText(couponPrize.slice.label);
      await expect(row).toContainText(couponPrize.name);
      await expect(row).toContainText(translate('spinwheel:expires', { at: '' }).trim());
    }
    await page.getByRole('button', { name: translate('parts:pagination.next') }).click();
    await expect(couponRows(page)).toHaveCount(coupons.length - PER_PAGE);
    await expect(couponRows(page).first().getByRole('cell').first()).toHaveText(String(PER_PAGE + 1));
  });

  test('coupons show label, name and amount by kind and a claim button; for goods they explain the hand-over [R-SPIN-03]', async ({
    memberPage: page,
  }) => {
    const prizeKinds = [
      ['MONEY', 20, '฿20.00'],
      ['COINS', 3, translate('spinwheel:coinCount_other', { count: 3 })],
      ['GOODS', 1, translate('spinwheel:onePiece_other', { count: 1 })],
      ['BONUS', 1, translate('spinwheel:oneBonus_other', { count: 1 })],
    ] as const;
    // The name of the first is its label.
    const nameOf = (prizeKind: string): string => (prizeKind === 'MONEY' ? 'รางวัล MONEY' : `ชื่อของ ${prizeKind}`);
    await mockCoupons(
      page,
      prizeKinds.map(([prizeKind, amount]) => {
        const coupon = buildCoupon(prizeKind, `รางวัล ${prizeKind}`);
        return { ...coupon, _id: prizeKind, amount, prize: { ...coupon.prize, name: nameOf(prizeKind) } };
      }),
    );
    const claimedIds: string[] = [];
    page.on('request', (request) => claimedIds.push(request.url()));
    await openWheel(page);
    for (const [index, [prizeKind, , expectedText]] of prizeKinds.entries()) {
      if (index === PER_PAGE) await page.getByRole('button', { name: translate('parts:pagination.next') }).click();
      const row = couponRows(page).nth(index % PER_PAGE);
      await expect(row.getByRole('cell').nth(2)).toHaveText(expectedText);
      const prizeText = row.getByRole('cell').nth(1).locator('p');
      await expect(prizeText.nth(0)).toHaveText(`รางวัล ${prizeKind}`);
      await expect(prizeText.nth(1)).toHaveText(nameOf(prizeKind));
      await expect(row.getByRole('button').or(row.getByRole('link'))).toHaveCount(1);
      const claimButton = row.getByRole('button', {
        name: `${translate('spinwheel:claim')} · รางวัล ${prizeKind}`,
        exact: true,
      });
      await expect(claimButton).toBeVisible();
      if (prizeKind !== 'GOODS') continue;
      await claimButton.click();
      const goodsDialog = dialogByName(page, translate('spinwheel:goodsTitle'));
      await expect(goodsDialog).toContainText(translate('spinwheel:goodsHow'));
      await buttonByName(goodsDialog, translate('spinwheel:goodsLater')).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    expect(claimedIds.filter((url) => url.endsWith('/coupon/claim'))).toEqual([]);
  });

  test('a money coupon is claimed after a confirmation, once, 500 ms after the last click, and credits the wallet [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, COIN_COUNT);
    const isPlainMoney = ({ prize, amount }: Coupon): boolean => prize.kind === 'MONEY' && amount < 500;
    const [wonCoupon] = await winCouponsByApi(member, 1, isPlainMoney);
    if (!wonCoupon) throw new Error('nothing was won');
    await page.route('**/api/spinwheel/coupon', async (route) => {
      const serverReply = await route.fetch();
      const { coupons } = (await serverReply.json()) as { coupons: Coupon[] };
      await route.fulfill({
        response: serverReply,
        json: { coupons: coupons.filter(({ _id }) => _id === wonCoupon._id) },
      });
    });
    const before = (await readWallet(member)).wallet.amount;
    await openWheel(page);
    await claimOf(page, wonCoupon).click();
    const question = dialogByName(page, translate('spinwheel:claimTitle'));
    await expect(question).toContainText(wonCoupon.prize.slice.label);
    let claimRequests = 0;
    page.on('request', (request) => (claimRequests += request.url().endsWith('/coupon/claim') ? 1 : 0));
    // Measured before the last press, so that nothing in between counts.
    const pressedAt = await buttonByName(question, translate('spinwheel:claimConfirm')).evaluate((element) => {
      let last = 0;
      for (let pressNumber = 0; pressNumber < 5; pressNumber += 1) {
        last = performance.now();
        (element as HTMLElement).click();
      }
      return last;
    });
    const successDialog = dialogByName(page, translate('spinwheel:claimedTitle'));
    await expect(successDialog).toContainText(wonCoupon.prize.slice.label);
    const sentAt = await page.evaluate(() => {
      const [claimEntry] = performance
        .getEntriesByType('resource')
        .filter(({ name }) => name.endsWith('/coupon/claim'));
      return claimEntry?.startTime ?? 0;
    });
    expect(sentAt - pressedAt).toBeGreaterThan(490);
    const amountText = `฿${wonCoupon.amount}.00`;
    await expect(successDialog).toContainText(translate('spinwheel:wentTo.wallet', { amount: amountText }));
    const walletAfter = (await readWallet(member)).wallet.amount;
    expect(walletAfter).toBe(before + wonCoupon.amount);
    await expect(successDialog).toContainText(`฿${walletAfter.toLocaleString('en-US', { minimumFractionDigits: 2 })}`);
    await buttonByName(successDialog, translate('common:ok')).click();
    await expect(page.getByText(translate('spinwheel:couponsEmpty'))).toBeVisible();
    expect(claimRequests).toBe(1);
  });
});

const REFUSAL_CODES = [
  'NO_CLAIMABLE_COUPON',
  'INVALID_PRIZE_CODE',
  'INVALID_CODE',
  'INVALID_COUPON_TYPE',
  'COUPON_EXPIRED',
  'BONUS_ALREADY_ACTIVE',
  'REQUEST_LIMIT',
];

test.describe('claims of coupons', () => {
  test('claimed coins of a coupon appear in the middle of the wheel [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, COIN_COUNT);
    const [wonCoupon] = await winCouponsByApi(member, 1, isOfKind('COINS'));
    if (!wonCoupon) throw new Error('nothing was won');
    await mockCoupons(page, [wonCoupon]);
    const coinsAfter = (await readWheelSetup(member)).userCoin + 1;
    await openWheel(page);
    await claimOf(page, wonCoupon).click();
    await confirmClaim(page);
    const successDialog = dialogByName(page, translate('spinwheel:claimedTitle'));
    await expect(successDialog).toContainText(wonCoupon.prize.slice.label);
    await expect(successDialog).toContainText(translate('spinwheel:coinsNow', { amount: coinsAfter }));
    await buttonByName(successDialog, translate('common:ok')).click();
    const coinsButton = page.getByRole('button', {
      name: translate('spinwheel:coinCount_other', { count: coinsAfter }),
    });
    await expect(coinsButton).toBeVisible();
    // Another screen still shows the coupon and claims it again.
    await claimOf(page, wonCoupon).click();
    await confirmClaim(page);
    await expect(dialogByName(page, translate('spinwheel:claimFailed'))).toContainText(
      translate('spinwheel:error.NO_CLAIMABLE_COUPON'),
    );
    expect((await readWheelSetup(member)).userCoin).toBe(coinsAfter);
  });

  test('a refused coupon claim shows the text of its code, whatever the format of the refusal [R-SPIN-03]', async ({
    memberPage: page,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/spinwheel\/coupon\/claim answered 409: success/);
    await mockCoupons(page, [buildCoupon('MONEY', 'ทดสอบ')]);
    await openWheel(page);
    for (const [index, code] of REFUSAL_CODES.entries()) {
      const claimReply =
        index % 2 === 0
          ? { status: 200, json: { success: false, error: code, result: null } }
          : { status: 409, json: { message: code } };
      await page.route('**/api/spinwheel/coupon/claim', (route) => route.fulfill(claimReply), { times: 1 });
      await couponRows(page).getByRole('button').click();
      await confirmClaim(page);
      const failure = dialogByName(page, translate('spinwheel:claimFailed'));
      await expect(failure).toContainText(translate(`spinwheel:error.${code}`));
      // An already claimed coupon may have been paid.
      if (code === 'NO_CLAIMABLE_COUPON')
        await expect(failure).not.toContainText(translate('spinwheel:notGiven.wallet'));
      else await expect(failure).toContainText(translate('spinwheel:notGiven.wallet'));
      await buttonByName(failure, translate('common:ok')).click();
    }
    await page.route('**/api/spinwheel/coupon/claim', (route) => route.abort());
    await couponRows(page).getByRole('button').click();
    await confirmClaim(page);
    await expect(dialogByName(page, translate('spinwheel:unknownTitle'))).toContainText(
      translate('spinwheel:claimOnce'),
    );
  });

  for (const [prizeKind, statementPlace] of [
    ['MONEY', 'wallet'],
    ['BONUS', 'bonus'],
  ] as const)
    test(`a claim of ${prizeKind} that is not confirmed yet says what is credited automatically, and asks for no action [R-SPIN-03]`, async ({
      memberPage: page,
    }) => {
      await mockCoupons(page, [buildCoupon(prizeKind, 'ทดสอบ')]);
      await page.route('**/api/spinwheel/coupon/claim', (route) =>
        route.fulfill({
          status: 500,
          json: {
            message: 'INTERNAL_SERVER_ERROR',
            detail: 'CREDIT_NOT_CONFIRMED',
            success: false,
            error: 'INTERNAL_SERVER_ERROR',
            result: null,
          },
        }),
      );
      await openWheel(page);
      await couponRows(page).getByRole('button').click();
      await confirmClaim(page);
      const comingDialog = dialogByName(page, translate('spinwheel:comingTitle'));
      await expect(comingDialog).toContainText(translate(`spinwheel:coming.${statementPlace}`));
      await expect(comingDialog).not.toContainText(translate('spinwheel:claimOnce'));
      await expect(comingDialog).not.toContainText(translate(`spinwheel:notGiven.${statementPlace}`));
    });

  test('a refused coupon claim says that its coins or bonus were not credited', async ({ memberPage: page }) => {
    for (const [kind, expectedPlace] of [
      ['COINS', 'coins'],
      ['BONUS', 'bonus'],
    ] as const) {
      await mockCoupons(page, [buildCoupon(kind, 'ทดสอบ')]);
      const expiredReply = { success: false, error: 'COUPON_EXPIRED', result: null };
      await page.route('**/api/spinwheel/coupon/claim', (route) => route.fulfill({ json: expiredReply }), { times: 1 });
      await openWheel(page);
      await couponRows(page).getByRole('button').click();
      await confirmClaim(page);
      await expect(dialogByName(page, translate('spinwheel:claimFailed'))).toContainText(
        translate(`spinwheel:notGiven.${expectedPlace}`),
      );
    }
  });

  test('coupons can be claimed while the wheel is closed, because they expire [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, COIN_COUNT);
    const [wonCoupon] = await winCouponsByApi(member, 1, isOfKind('MONEY'));
    if (!wonCoupon) throw new Error('nothing was won');
    await page.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await mockCoupons(page, [wonCoupon]);
    await page.goto('/user/spin');
    await expect(page.getByText(translate('spinwheel:closed'))).toBeVisible();
    await claimOf(page, wonCoupon).click();
    await confirmClaim(page);
    await expect(dialogByName(page, translate('spinwheel:claimedTitle'))).toContainText(wonCoupon.prize.slice.label);
  });
});

test.describe("coupons without the service worker's cache", () => {
  test('a coupon dialog that fails to load is requested again by the next click', async ({ memberPage: page }) => {
    const DIALOG_SCRIPT = '**/assets/wheel-dialogs*.js';
    await mockCoupons(page, [buildCoupon('MONEY', 'ทดสอบ')]);
    // The app reloads the page once, as after a release, and then reports the failure.
    await page.route(DIALOG_SCRIPT, (route) => route.abort());
    await page.goto('/user/spin', { waitUntil: 'commit' });
    await expect(page.locator('[data-toast=danger]')).toContainText(translate('common:noAnswer'), { timeout: 20_000 });
    await page.unroute(DIALOG_SCRIPT);
    await couponRows(page).getByRole('button').click();
    await expect(dialogByName(page, translate('spinwheel:claimTitle'))).toBeVisible();
  });
});
