import { isDeepStrictEqual } from 'node:util';
import type { Page } from '@playwright/test';
import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const CHECK_PATH = '/api/refund/check';

/** Mocked replies for a past week, which a new system doesn't have. Receiving a refund is tested in refund-received. */
const ENDED_WEEK = {
  result: true,
  bonus: false,
  blockedBy: null,
  info: '<p>คืน <b>5%</b></p><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>',
  refundAmount: 49.5,
  refundSuccess: 200,
  refundFail: 12.5,
  periodFrom: '2026-11-08T17:00:00.000Z',
  periodTo: '2026-11-15T17:00:00.000Z',
  unfinished: false,
  condition: null,
};

const mockRefundPeriod = (
  page: Page,
  changes: Partial<Record<keyof typeof ENDED_WEEK, unknown>> = {},
): Promise<unknown> => page.route(`**${CHECK_PATH}`, (route) => route.fulfill({ json: { ...ENDED_WEEK, ...changes } }));

test.describe('banners', () => {
  test('operator banners precede the invite and refund dialogs, which open immediately without banners or if they fail to load [R-HOME-06]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    for (const tile of ['invite', 'refund'] as const) {
      const sheet = dialogByName(page, translate(`${tile}:title`));
      const continueButton = buttonByName(sheet, translate('parts:carousel.goOn'));
      await buttonByName(page, translate(`home:${tile}`)).click();
      const bannerImage = sheet.locator(`img[src="/banners/${tile}-1.svg"]`);
      await expect.poll(() => bannerImage.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      await expect(sheet.locator('.prose b').first()).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(continueButton).toHaveCount(0);
      await expect(
        sheet.getByRole('heading', { name: translate(`${tile}:${tile === 'invite' ? 'link' : 'terms'}`) }),
      ).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(buttonByName(page, translate(`home:${tile}`))).toBeFocused();

      for (const bannersReply of [{ json: [] }, { status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }]) {
        await page.route(`**/api/${tile}/banners`, (route) => route.fulfill(bannersReply));
        await buttonByName(page, translate(`home:${tile}`)).click();
        await expect(sheet).toBeVisible();
        await expect(continueButton).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
    }
  });

  test("several banners can be changed by dots, keys and swiping, and an operator's HTML executes nothing", async ({
    memberPage: page,
  }) => {
    const html = '<h3>สอง</h3><script>window.hacked=1</script><a href="javascript:window.hacked=1">ลิงก์</a>';
    await page.route('**/api/refund/banners', (route) =>
      route.fulfill({
        json: [
          { image: '/banners/refund-1.svg', html: '<h3>หนึ่ง</h3>' },
          { image: '/banners/missing.svg', html },
          { image: '', html: '<h3>สาม</h3>' },
        ],
      }),
    );
    await openHome(page);
    await buttonByName(page, translate('home:refund')).click();
    const sheet = dialogByName(page, translate('refund:title'));
    const row = sheet.getByRole('group', { name: translate('refund:title') });
    const positionText = (index: number): string => translate('parts:carousel.position', { index, count: 3 });
    const frontSlide = sheet.locator('[role=group][aria-roledescription]:not([inert])');
    await expect(frontSlide).toHaveAccessibleName(positionText(1));
    await row.press('ArrowRight');
    await expect(frontSlide).toContainText('สอง');
    await expect(frontSlide.locator('img')).toHaveCount(0);
    await expect(frontSlide.locator('a')).not.toHaveAttribute('href');
    await row.press('End');
    await expect(frontSlide).toContainText('สาม');
    await row.press('ArrowRight');
    await expect(frontSlide).toContainText('สาม');
    await buttonByName(sheet, positionText(1)).click();
    await expect(frontSlide).toContainText('หนึ่ง');
    await expect(buttonByName(sheet, positionText(1))).toHaveAttribute('aria-current', 'true');
    // The platform handles the swipe: the slide in front is where scrolling stops.
    await row.evaluate((element) => element.scrollTo({ left: element.clientWidth, behavior: 'instant' }));
    await expect(frontSlide).toContainText('สอง');
    const dotBox = await buttonByName(sheet, positionText(2)).boundingBox();
    expect(Math.min(dotBox?.width ?? 0, dotBox?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });
});

test.describe('the refund', () => {
  test('without losses the refund dialog says so, shows the condition, and its log is empty [R-REF-01]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    await expect(sheet).toContainText('คืน 5% ของยอดเสีย');
    await expect(sheet).toContainText(translate('refund:none'));
    await expect(sheet).toContainText(translate('parts:terms.success', { percent: 200 }));
    await expect(sheet).toContainText(translate('parts:terms.fail', { percent: 10 }));
    await expect(sheet).toContainText(translate('refund:logEmpty'));
    await expect(sheet.getByRole('button')).toHaveCount(2);
    await expect(page.locator('[data-toast]')).toHaveCount(0);
  });

  test('a received refund is in the log, ten per page [R-REF-01]', async ({ memberPage: page }) => {
    const requestBodies: unknown[] = [];
    await page.route('**/api/refund', (route) => {
      const body = route.request().postDataJSON() as { page: number; limit: number };
      requestBodies.push(body);
      const refunds = Array.from({ length: body.page === 3 ? 3 : 10 }, (_, index) => ({
        refundAmount: body.page * 100 + index,
        createdAt: new Date(Date.UTC(2026, 10, 16, 3, 4, 60 * body.page - index)).toISOString(),
      }));
      return route.fulfill({ json: { total: 23, refunds } });
    });
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    const rows = sheet.getByRole('table', { name: translate('refund:log') }).locator('tbody tr');
    await expect(rows).toHaveCount(10);
    await expect(rows.first()).toContainText('16/11/2026 10:05:00');
    await expect(rows.first()).toContainText('฿100.00');
    await buttonByName(sheet, translate('parts:pagination.next')).click();
    await expect(rows.first()).toContainText('฿200.00');
    await buttonByName(sheet, translate('parts:pagination.page', { page: 3 })).click();
    await expect(rows).toHaveCount(3);
    await expect(rows.last()).toContainText('฿302.00');
    await expect(buttonByName(sheet, translate('parts:pagination.next'))).toBeDisabled();
    // A page may be asked for again by an event.
    const pageRequests = requestBodies.filter((body, index) => !isDeepStrictEqual(body, requestBodies[index - 1]));
    expect(pageRequests).toEqual([1, 2, 3].map((number) => ({ page: number, limit: 10 })));
  });

  test('a refund blocked by a bonus is not received, and the dialog links to the bonus [R-REF-01]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    for (const blockedBy of ['BONUS_USED', 'BONUS_ACTIVE'] as const) {
      await mockRefundPeriod(page, { bonus: true, blockedBy });
      await page.reload();
      const receiveButton = buttonByName(
        await openSheetAndCloseBanners(page, translate, 'refund'),
        translate('refund:receive', { amount: '฿49.50' }),
      );
      await expect(receiveButton).toBeDisabled();
      await expect(receiveButton).toHaveAccessibleDescription(new RegExp(translate(`refund:blocked.${blockedBy}`)));
    }
    const sheet = dialogByName(page, translate('refund:title'));
    await expect(sheet).toContainText(translate('refund:ofDays', { first: '09/11/2026', last: '15/11/2026' }));
    await expect(sheet).toContainText('฿99.00');
    await expect(sheet).toContainText(translate('parts:terms.fail', { percent: 12.5 }));
    await expect(sheet).toContainText('฿6.18');
    expect(await sheet.locator('script, [onerror]').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await sheet.getByRole('link', { name: translate('refund:toBonus') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});

test.describe('terms and outcomes of the refund', () => {
  test('the refund dialog always shows both percentages, also during the condition of an earlier refund or without a condition [R-REF-01]', async ({
    memberPage: page,
  }) => {
    const condition = {
      kind: 'REFUND',
      name: '2026-11-02',
      state: 'ACTIVE',
      percentSuccess: 200,
      percentFail: 10,
      startedAt: '2026-11-09T17:00:00.000Z',
      base: 50,
      current: 50,
      target: 100,
      floor: 5,
      turnover: null,
      turnoverTarget: null,
      outstanding: 0,
      isCounting: true,
      reference: 'B0000000000001',
      ifCleared: { takesBack: 50, keeps: 0 },
    };
    for (const [changes, successText, failText] of [
      [{ result: false, refundAmount: 0, condition }, 200, 12.5],
      [{ refundSuccess: 100, refundFail: 0 }, 100, 0],
    ] as const) {
      await mockRefundPeriod(page, changes);
      await openHome(page);
      const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
      await expect(sheet).toContainText(translate('parts:terms.success', { percent: successText }));
      await expect(sheet).toContainText(translate('parts:terms.fail', { percent: failText }));
    }
  });

  test("a received refund shows the server's message [R-REF-01]", async ({ memberPage: page }) => {
    const message = 'รับยอดคืนประจำสัปดาห์แล้ว ขอให้โชคดี';
    await mockRefundPeriod(page);
    await page.route('**/api/refund/receive', (route) =>
      route.fulfill({ json: { message, refundAmount: 49.5, reference: 'one' } }),
    );
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    await buttonByName(sheet, translate('refund:receive', { amount: '฿49.50' })).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(message);
  });

  test('a refused refund, and a claim that addWallet has to complete, show the reason in a danger toast and reload [R-REF-01]', async ({
    memberPage: page,
  }) => {
    for (const [changes, path, expectedText] of [
      [{}, 'receive', translate('refund:receive', { amount: '฿49.50' })],
      [{ unfinished: true, result: false }, 'addWallet', translate('refund:finish')],
    ] as const) {
      await mockRefundPeriod(page, changes);
      await openHome(page);
      const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
      if (path === 'addWallet') await expect(sheet).toContainText(translate('refund:unfinished'));
      await expect(buttonByName(sheet, expectedText)).toBeVisible();
      // For the server there is no loss: it refuses this and all later requests.
      await page.unroute(`**${CHECK_PATH}`);
      const refundReply = page.waitForResponse(`**/api/refund/${path}`);
      await buttonByName(sheet, expectedText).click();
      expect((await refundReply).status()).toBe(404);
      await expect(page.locator('[data-toast=danger]')).toContainText(translate('errors:errorMsg.NO_REFUND'));
      await expect(sheet).toContainText(translate('refund:none'));
      await expect(buttonByName(sheet, expectedText)).toHaveCount(0);
    }
  });

  test("a refund below the minimum is refused with the minimum in the member's currency [R-REF-01]", async ({
    memberPage: page,
  }) => {
    await mockRefundPeriod(page, {});
    await page.route('**/api/wallet', async (route) => {
      const serverReply = await route.fetch();
      const wallet = (await serverReply.json()) as { profile: object };
      await route.fulfill({
        response: serverReply,
        json: { ...wallet, profile: { ...wallet.profile, currency: 'LAK' } },
      });
    });
    await page.route('**/api/refund/receive', (route) =>
      route.fulfill({ status: 400, json: { message: 'REFUND_MINIMUM' } }),
    );
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    await sheet.getByRole('button', { name: /₭/ }).click();
    await expect(page.locator('[data-toast=danger]')).toHaveText(translate('refund:minimumKip'));
  });

  test('a refund that fails to load says so and can be requested again; its log shows no error [R-NET-08]', async ({
    memberPage: page,
  }) => {
    const errorReply = { status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } };
    await page.route(`**${CHECK_PATH}`, (route) => route.fulfill(errorReply));
    await page.route('**/api/refund', (route) => route.fulfill(errorReply));
    await openHome(page);
    const sheet = await openSheetAndCloseBanners(page, translate, 'refund');
    await expect(sheet.getByRole('alert')).toContainText(translate('refund:failed'));
    await expect(sheet.getByRole('heading', { name: translate('refund:log') })).toHaveCount(0);
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    await page.unroute(`**${CHECK_PATH}`);
    await buttonByName(sheet, translate('common:retry')).click();
    await expect(sheet).toContainText(translate('refund:none'));
  });
});
