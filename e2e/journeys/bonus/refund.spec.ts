import { isDeepStrictEqual } from 'node:util';
import type { Page } from '@playwright/test';
import { openBehindBanners, openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const CHECK = '/api/refund/check';

/** Answers of a week that is over, which a new system has none of; what is received of one is in refund-received. */
const weekOver = {
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

const showPeriod = (page: Page, changes: Partial<Record<keyof typeof weekOver, unknown>> = {}): Promise<unknown> =>
  page.route(`**${CHECK}`, (route) => route.fulfill({ json: { ...weekOver, ...changes } }));

test.describe('banners', () => {
  test('come before invite and refund, and these after them; without any, or when they can’t be had, at once [R-HOME-06]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    for (const tile of ['invite', 'refund'] as const) {
      const sheet = dialog(page, say(`${tile}:title`));
      const goOn = button(sheet, say('parts:carousel.goOn'));
      await button(page, say(`home:${tile}`)).click();
      const picture = sheet.locator(`img[src="/banners/${tile}-1.svg"]`);
      await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
      await expect(sheet.locator('.prose b').first()).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(goOn).toHaveCount(0);
      await expect(
        sheet.getByRole('heading', { name: say(`${tile}:${tile === 'invite' ? 'link' : 'terms'}`) }),
      ).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await expect(button(page, say(`home:${tile}`))).toBeFocused();

      for (const answer of [{ json: [] }, { status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }]) {
        await page.route(`**/api/${tile}/banners`, (route) => route.fulfill(answer));
        await button(page, say(`home:${tile}`)).click();
        await expect(sheet).toBeVisible();
        await expect(goOn).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await page.keyboard.press('Escape');
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
    }
  });

  test('stand one beside the other: by dots, by keys, by swiping; what an operator wrote can’t act', async ({
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
    await button(page, say('home:refund')).click();
    const sheet = dialog(page, say('refund:title'));
    const row = sheet.getByRole('group', { name: say('refund:title') });
    const place = (index: number): string => say('parts:carousel.position', { index, count: 3 });
    const front = sheet.locator('[role=group][aria-roledescription]:not([inert])');
    await expect(front).toHaveAccessibleName(place(1));
    await row.press('ArrowRight');
    await expect(front).toContainText('สอง');
    await expect(front.locator('img')).toHaveCount(0);
    await expect(front.locator('a')).not.toHaveAttribute('href');
    await row.press('End');
    await expect(front).toContainText('สาม');
    await row.press('ArrowRight');
    await expect(front).toContainText('สาม');
    await button(sheet, place(1)).click();
    await expect(front).toContainText('หนึ่ง');
    await expect(button(sheet, place(1))).toHaveAttribute('aria-current', 'true');
    // A swipe is the platform's: where it comes to rest is in front.
    await row.evaluate((element) => element.scrollTo({ left: element.clientWidth, behavior: 'instant' }));
    await expect(front).toContainText('สอง');
    const dot = await button(sheet, place(2)).boundingBox();
    expect(Math.min(dot?.width ?? 0, dot?.height ?? 0)).toBeGreaterThanOrEqual(44);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });
});

test.describe('the refund', () => {
  test('of a member without losses says so, and what its condition would be; none has been received yet [R-REF-01]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    await expect(sheet).toContainText('คืน 5% ของยอดเสีย');
    await expect(sheet).toContainText(say('refund:none'));
    await expect(sheet).toContainText(say('parts:terms.success', { percent: 200 }));
    await expect(sheet).toContainText(say('parts:terms.fail', { percent: 10 }));
    await expect(sheet).toContainText(say('refund:logEmpty'));
    await expect(sheet.getByRole('button')).toHaveCount(2);
    await expect(page.locator('[data-toast]')).toHaveCount(0);
  });

  test('stands in a log of what was received before, ten a page [R-REF-01]', async ({ memberPage: page }) => {
    const asked: unknown[] = [];
    await page.route('**/api/refund', (route) => {
      const body = route.request().postDataJSON() as { page: number; limit: number };
      asked.push(body);
      const refunds = Array.from({ length: body.page === 3 ? 3 : 10 }, (_, index) => ({
        refundAmount: body.page * 100 + index,
        createdAt: new Date(Date.UTC(2026, 10, 16, 3, 4, 60 * body.page - index)).toISOString(),
      }));
      return route.fulfill({ json: { total: 23, refunds } });
    });
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    const rows = sheet.getByRole('table', { name: say('refund:log') }).locator('tbody tr');
    await expect(rows).toHaveCount(10);
    await expect(rows.first()).toContainText('16/11/2026 10:05:00');
    await expect(rows.first()).toContainText('฿100.00');
    await button(sheet, say('parts:pagination.next')).click();
    await expect(rows.first()).toContainText('฿200.00');
    await button(sheet, say('parts:pagination.page', { page: 3 })).click();
    await expect(rows).toHaveCount(3);
    await expect(rows.last()).toContainText('฿302.00');
    await expect(button(sheet, say('parts:pagination.next'))).toBeDisabled();
    // A page may be asked for again by an event.
    const pages = asked.filter((body, index) => !isDeepStrictEqual(body, asked[index - 1]));
    expect(pages).toEqual([1, 2, 3].map((number) => ({ page: number, limit: 10 })));
  });

  test('is not received while a bonus blocks it, which is said, with the way to it [R-REF-01]', async ({
    memberPage: page,
  }) => {
    await openHome(page);
    for (const blockedBy of ['BONUS_USED', 'BONUS_ACTIVE'] as const) {
      await showPeriod(page, { bonus: true, blockedBy });
      await page.reload();
      const receive = button(await openBehindBanners(page, say, 'refund'), say('refund:receive', { amount: '฿49.50' }));
      await expect(receive).toBeDisabled();
      await expect(receive).toHaveAccessibleDescription(new RegExp(say(`refund:blocked.${blockedBy}`)));
    }
    const sheet = dialog(page, say('refund:title'));
    await expect(sheet).toContainText(say('refund:ofDays', { first: '09/11/2026', last: '15/11/2026' }));
    await expect(sheet).toContainText('฿99.00');
    await expect(sheet).toContainText(say('parts:terms.fail', { percent: 12.5 }));
    await expect(sheet).toContainText('฿6.18');
    expect(await sheet.locator('script, [onerror]').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
    await sheet.getByRole('link', { name: say('refund:toBonus') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });
});

test.describe('terms and outcomes of the refund', () => {
  test('always shows both percentages: also while an earlier one has its condition, and where there is nothing to meet [R-REF-01]', async ({
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
    for (const [changes, success, fail] of [
      [{ result: false, refundAmount: 0, condition }, 200, 12.5],
      [{ refundSuccess: 100, refundFail: 0 }, 100, 0],
    ] as const) {
      await showPeriod(page, changes);
      await openHome(page);
      const sheet = await openBehindBanners(page, say, 'refund');
      await expect(sheet).toContainText(say('parts:terms.success', { percent: success }));
      await expect(sheet).toContainText(say('parts:terms.fail', { percent: fail }));
    }
  });

  test('that is received shows the server’s message [R-REF-01]', async ({ memberPage: page }) => {
    const message = 'รับยอดคืนประจำสัปดาห์แล้ว ขอให้โชคดี';
    await showPeriod(page);
    await page.route('**/api/refund/receive', (route) =>
      route.fulfill({ json: { message, refundAmount: 49.5, reference: 'one' } }),
    );
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    await button(sheet, say('refund:receive', { amount: '฿49.50' })).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(message);
  });

  test('one that is refused, and a claim without its money, which addWallet finishes, tells why in a danger toast, and looks again [R-REF-01]', async ({
    memberPage: page,
  }) => {
    for (const [changes, path, words] of [
      [{}, 'receive', say('refund:receive', { amount: '฿49.50' })],
      [{ unfinished: true, result: false }, 'addWallet', say('refund:finish')],
    ] as const) {
      await showPeriod(page, changes);
      await openHome(page);
      const sheet = await openBehindBanners(page, say, 'refund');
      if (path === 'addWallet') await expect(sheet).toContainText(say('refund:unfinished'));
      await expect(button(sheet, words)).toBeVisible();
      // The server knows of no loss: it refuses, whatever this page was answered, and so do later calls.
      await page.unroute(`**${CHECK}`);
      const answered = page.waitForResponse(`**/api/refund/${path}`);
      await button(sheet, words).click();
      expect((await answered).status()).toBe(404);
      await expect(page.locator('[data-toast=danger]')).toContainText(say('errors:errorMsg.NO_REFUND'));
      await expect(sheet).toContainText(say('refund:none'));
      await expect(button(sheet, words)).toHaveCount(0);
    }
  });

  test('one that is too small is refused in the member’s own money [R-REF-01]', async ({ memberPage: page }) => {
    await showPeriod(page, {});
    await page.route('**/api/wallet', async (route) => {
      const answer = await route.fetch();
      const wallet = (await answer.json()) as { profile: object };
      await route.fulfill({ response: answer, json: { ...wallet, profile: { ...wallet.profile, currency: 'LAK' } } });
    });
    await page.route('**/api/refund/receive', (route) =>
      route.fulfill({ status: 400, json: { message: 'REFUND_MINIMUM' } }),
    );
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    await sheet.getByRole('button', { name: /₭/ }).click();
    await expect(page.locator('[data-toast=danger]')).toHaveText(say('refund:minimumKip'));
  });

  test('that can’t be asked for says so and asks again; its log says nothing [R-NET-08]', async ({
    memberPage: page,
  }) => {
    const refuse = { status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } };
    await page.route(`**${CHECK}`, (route) => route.fulfill(refuse));
    await page.route('**/api/refund', (route) => route.fulfill(refuse));
    await openHome(page);
    const sheet = await openBehindBanners(page, say, 'refund');
    await expect(sheet.getByRole('alert')).toContainText(say('refund:failed'));
    await expect(sheet.getByRole('heading', { name: say('refund:log') })).toHaveCount(0);
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    await page.unroute(`**${CHECK}`);
    await button(sheet, say('common:retry')).click();
    await expect(sheet).toContainText(say('refund:none'));
  });
});
