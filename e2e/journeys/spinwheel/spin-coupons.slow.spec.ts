import type { Page } from '@playwright/test';
import { walletOf } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { type Coupon, earnCoins, openWheel, setupOf, winCoupons } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PER_PAGE = 3;
/** Enough spins: the probability that none of them wins the required prize is 1e-10. */
const COINS = 100;

const rows = (page: Page) => page.getByRole('table', { name: say('spinwheel:coupons') }).locator('tbody tr');
const claimOf = (page: Page, { prize }: Coupon) =>
  rows(page)
    .getByRole('button', { name: `${say('spinwheel:claim')} · ${prize.slice.label}` })
    .first();
const isOfKind =
  (kind: string) =>
  ({ prize }: Coupon): boolean =>
    prize.kind === kind;

/** Shows coupons of the test's own instead of the member's. */
const showCoupons = (page: Page, coupons: unknown[]): Promise<unknown> =>
  page.route('**/api/spinwheel/coupon', (route) => route.fulfill({ json: { coupons } }));
const couponOf = (kind: string, label: string) => ({
  _id: 'one',
  prize: { name: `${label}!`, kind, slice: { code: 'X', label } },
  amount: 1,
  state: 'OPEN',
  condition: null as object | null,
  expiresAt: new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString(),
  createdAt: '2026-01-01T00:00:00.000Z',
});

test.describe('coupons', () => {
  test('stand three a page with number, prize and the time until which they can be claimed [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, COINS);
    const coupons = await winCoupons(member, PER_PAGE + 1);
    await openWheel(page);
    await expect(rows(page)).toHaveCount(PER_PAGE);
    for (const [index, { prize }] of coupons.slice(0, PER_PAGE).entries()) {
      const row = rows(page).nth(index);
      await expect(row.getByRole('cell').first()).toHaveText(String(index + 1));
      await expect(row).toContainText(prize.slice.label);
      await expect(row).toContainText(prize.name);
      await expect(row).toContainText(say('spinwheel:expires', { at: '' }).trim());
    }
    await page.getByRole('button', { name: say('parts:pagination.next') }).click();
    await expect(rows(page)).toHaveCount(coupons.length - PER_PAGE);
    await expect(rows(page).first().getByRole('cell').first()).toHaveText(String(PER_PAGE + 1));
  });

  test('show label, name and amount by kind, and a button to claim each; that of goods explains how they are handed over [R-SPIN-03]', async ({
    memberPage: page,
  }) => {
    const kinds = [
      ['MONEY', 20, '฿20.00'],
      ['COINS', 3, say('spinwheel:coinCount_other', { count: 3 })],
      ['GOODS', 1, say('spinwheel:onePiece_other', { count: 1 })],
      ['BONUS', 1, say('spinwheel:oneBonus_other', { count: 1 })],
    ] as const;
    // The name of the first is its label.
    const nameOf = (kind: string): string => (kind === 'MONEY' ? 'รางวัล MONEY' : `ชื่อของ ${kind}`);
    await showCoupons(
      page,
      kinds.map(([kind, amount]) => {
        const coupon = couponOf(kind, `รางวัล ${kind}`);
        return { ...coupon, _id: kind, amount, prize: { ...coupon.prize, name: nameOf(kind) } };
      }),
    );
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await openWheel(page);
    for (const [index, [kind, , words]] of kinds.entries()) {
      if (index === PER_PAGE) await page.getByRole('button', { name: say('parts:pagination.next') }).click();
      const row = rows(page).nth(index % PER_PAGE);
      await expect(row.getByRole('cell').nth(2)).toHaveText(words);
      const prize = row.getByRole('cell').nth(1).locator('p');
      await expect(prize.nth(0)).toHaveText(`รางวัล ${kind}`);
      await expect(prize.nth(1)).toHaveText(nameOf(kind));
      await expect(row.getByRole('button').or(row.getByRole('link'))).toHaveCount(1);
      const claim = row.getByRole('button', { name: `${say('spinwheel:claim')} · รางวัล ${kind}`, exact: true });
      await expect(claim).toBeVisible();
      if (kind !== 'GOODS') continue;
      await claim.click();
      const explained = dialog(page, say('spinwheel:goodsTitle'));
      await expect(explained).toContainText(say('spinwheel:goodsHow'));
      await button(explained, say('spinwheel:goodsLater')).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    expect(asked.filter((url) => url.endsWith('/coupon/claim'))).toEqual([]);
  });

  test('one for money is claimed after a yes, once, 500 ms after the last press, and what it is good for is in the wallet [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, COINS);
    const isPlainMoney = ({ prize, amount }: Coupon): boolean => prize.kind === 'MONEY' && amount < 500;
    const [won] = await winCoupons(member, 1, isPlainMoney);
    if (!won) throw new Error('nothing was won');
    await page.route('**/api/spinwheel/coupon', async (route) => {
      const answer = await route.fetch();
      const { coupons } = (await answer.json()) as { coupons: Coupon[] };
      await route.fulfill({ response: answer, json: { coupons: coupons.filter(({ _id }) => _id === won._id) } });
    });
    const before = (await walletOf(member)).wallet.amount;
    await openWheel(page);
    await claimOf(page, won).click();
    const question = dialog(page, say('spinwheel:claimTitle'));
    await expect(question).toContainText(won.prize.slice.label);
    let claims = 0;
    page.on('request', (request) => (claims += request.url().endsWith('/coupon/claim') ? 1 : 0));
    // Before the last press, so that nothing between it and its time counts.
    const pressedAt = await button(question, say('spinwheel:claimConfirm')).evaluate((place) => {
      let last = 0;
      for (let press = 0; press < 5; press += 1) {
        last = performance.now();
        (place as HTMLElement).click();
      }
      return last;
    });
    const done = dialog(page, say('spinwheel:claimedTitle'));
    await expect(done).toContainText(won.prize.slice.label);
    const sentAt = await page.evaluate(() => {
      const [sent] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('/coupon/claim'));
      return sent?.startTime ?? 0;
    });
    expect(sentAt - pressedAt).toBeGreaterThan(490);
    const money = `฿${won.amount}.00`;
    await expect(done).toContainText(say('spinwheel:wentTo.wallet', { amount: money }));
    const after = (await walletOf(member)).wallet.amount;
    expect(after).toBe(before + won.amount);
    await expect(done).toContainText(`฿${after.toLocaleString('en-US', { minimumFractionDigits: 2 })}`);
    await button(done, say('common:ok')).click();
    await expect(page.getByText(say('spinwheel:couponsEmpty'))).toBeVisible();
    expect(claims).toBe(1);
  });
});

test.describe('claims of coupons', () => {
  test('one for coins puts them into the middle of the wheel [R-SPIN-03]', async ({ memberPage: page, member }) => {
    await earnCoins(member, COINS);
    const [won] = await winCoupons(member, 1, isOfKind('COINS'));
    if (!won) throw new Error('nothing was won');
    await showCoupons(page, [won]);
    const before = (await setupOf(member)).userCoin;
    await openWheel(page);
    await claimOf(page, won).click();
    await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
    const done = dialog(page, say('spinwheel:claimedTitle'));
    await expect(done).toContainText(won.prize.slice.label);
    await expect(done).toContainText(say('spinwheel:coinsNow', { amount: before + 1 }));
    await button(done, say('common:ok')).click();
    await expect(
      page.getByRole('button', { name: say('spinwheel:coinCount_other', { count: before + 1 }) }),
    ).toBeVisible();
    // It is still on a screen where it is claimed again.
    await claimOf(page, won).click();
    await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
    await expect(dialog(page, say('spinwheel:claimFailed'))).toContainText(say('spinwheel:error.NO_CLAIMABLE_COUPON'));
    expect((await setupOf(member)).userCoin).toBe(before + 1);
  });

  test('a refused claim speaks the words of its code, in whichever shape the refusal comes [R-SPIN-03]', async ({
    memberPage: page,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/spinwheel\/coupon\/claim answered 409: success/);
    await showCoupons(page, [couponOf('MONEY', 'ทดสอบ')]);
    await openWheel(page);
    for (const [index, code] of [
      'NO_CLAIMABLE_COUPON',
      'INVALID_PRIZE_CODE',
      'INVALID_CODE',
      'INVALID_COUPON_TYPE',
      'COUPON_EXPIRED',
      'BONUS_ALREADY_ACTIVE',
      'REQUEST_LIMIT',
    ].entries()) {
      const answer =
        index % 2 === 0
          ? { status: 200, json: { success: false, error: code, result: null } }
          : { status: 409, json: { message: code } };
      await page.route('**/api/spinwheel/coupon/claim', (route) => route.fulfill(answer), { times: 1 });
      await rows(page).getByRole('button').click();
      await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
      const refused = dialog(page, say('spinwheel:claimFailed'));
      await expect(refused).toContainText(say(`spinwheel:error.${code}`));
      // A coupon that was claimed before may have been paid.
      if (code === 'NO_CLAIMABLE_COUPON') await expect(refused).not.toContainText(say('spinwheel:notGiven.wallet'));
      else await expect(refused).toContainText(say('spinwheel:notGiven.wallet'));
      await button(refused, say('common:ok')).click();
    }
    await page.route('**/api/spinwheel/coupon/claim', (route) => route.abort());
    await rows(page).getByRole('button').click();
    await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
    await expect(dialog(page, say('spinwheel:unknownTitle'))).toContainText(say('spinwheel:claimOnce'));
  });

  for (const [kind, place] of [
    ['MONEY', 'wallet'],
    ['BONUS', 'bonus'],
  ] as const)
    test(`a claim of ${kind} that is not confirmed yet says what comes by itself, and asks for nothing [R-SPIN-03]`, async ({
      memberPage: page,
    }) => {
      await showCoupons(page, [couponOf(kind, 'ทดสอบ')]);
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
      await rows(page).getByRole('button').click();
      await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
      const coming = dialog(page, say('spinwheel:comingTitle'));
      await expect(coming).toContainText(say(`spinwheel:coming.${place}`));
      await expect(coming).not.toContainText(say('spinwheel:claimOnce'));
      await expect(coming).not.toContainText(say(`spinwheel:notGiven.${place}`));
    });

  test('a refused claim says that its coins or its bonus were not given', async ({ memberPage: page }) => {
    for (const [kind, place] of [
      ['COINS', 'coins'],
      ['BONUS', 'bonus'],
    ] as const) {
      await showCoupons(page, [couponOf(kind, 'ทดสอบ')]);
      const refusal = { success: false, error: 'COUPON_EXPIRED', result: null };
      await page.route('**/api/spinwheel/coupon/claim', (route) => route.fulfill({ json: refusal }), { times: 1 });
      await openWheel(page);
      await rows(page).getByRole('button').click();
      await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
      await expect(dialog(page, say('spinwheel:claimFailed'))).toContainText(say(`spinwheel:notGiven.${place}`));
    }
  });

  test('wait to be claimed also while the wheel is closed, for they run out meanwhile [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, COINS);
    const [won] = await winCoupons(member, 1, isOfKind('MONEY'));
    if (!won) throw new Error('nothing was won');
    await page.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: false } }));
    await showCoupons(page, [won]);
    await page.goto('/user/spin');
    await expect(page.getByText(say('spinwheel:closed'))).toBeVisible();
    await claimOf(page, won).click();
    await button(dialog(page, say('spinwheel:claimTitle')), say('spinwheel:claimConfirm')).click();
    await expect(dialog(page, say('spinwheel:claimedTitle'))).toContainText(won.prize.slice.label);
  });
});

test.describe('coupons without what the service worker keeps', () => {
  test('a dialog that did not come is asked for again by the next press', async ({ memberPage: page }) => {
    const part = '**/assets/wheel-dialogs*.js';
    await showCoupons(page, [couponOf('MONEY', 'ทดสอบ')]);
    // The page is reloaded once, as after a release; then it says so.
    await page.route(part, (route) => route.abort());
    await page.goto('/user/spin', { waitUntil: 'commit' });
    await expect(page.locator('[data-toast=danger]')).toContainText(say('common:noAnswer'), { timeout: 20_000 });
    await page.unroute(part);
    await rows(page).getByRole('button').click();
    await expect(dialog(page, say('spinwheel:claimTitle'))).toBeVisible();
  });
});
