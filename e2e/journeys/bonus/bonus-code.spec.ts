import type { Locator } from '@playwright/test';
import { CODE, codeField, giveUp, inUse, openBonuses, receive, WELCOME } from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('promotion codes', () => {
  test('a code is asked for, made upper case, searched for, found or not, and received [R-BON-04]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 300);
    await openBonuses(page);
    await button(page, say('bonus:promotion.search')).click();
    await expect(page.getByRole('alert')).toHaveText(say('bonus:promotion.required'));
    await expect(codeField(page)).toHaveAttribute('required');
    await codeField(page).pressSequentially('krao100');
    await expect(codeField(page)).toHaveValue('KRAO100');
    // Typed in the middle: the caret stays there.
    await codeField(page).evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3));
    await page.keyboard.type('pa');
    await expect(codeField(page)).toHaveValue(CODE);

    const answered = Promise.withResolvers<void>();
    await page.route(
      '**/api/promotion/find/*',
      async (route) => {
        await answered.promise;
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press('Enter');
    const searching = dialog(page, say('bonus:promotion.title', { code: CODE }));
    await expect(searching.getByText(say('bonus:promotion.searching'))).toBeVisible();
    await expect(button(searching, say('bonus:receive'))).toHaveCount(0);
    answered.resolve();
    const offer = dialog(page, 'โค้ดกระเป๋าแจกโบนัส');
    await expect(offer.locator('b').first()).toHaveText('฿300.00');
    await expect(offer).toContainText(say('bonus:terms.percentOf', { percent: 5 }));
    await expect(offer).toContainText('ไม่เกิน 5% ของยอด');
    await button(offer, say('bonus:receive')).click();
    await expect(offer).toContainText(say('bonus:received.title', { amount: '฿100.00' }));
    await expect(offer).toContainText(say('bonus:received.asksText', { target: '฿1,200.00', floor: '฿20.00' }));
    await button(offer, say('common:ok')).click();
    await expect(inUse(page)).toContainText(say('bonus:type.promotion'));
    await expect(inUse(page)).toContainText(CODE);
    expect((await walletOf(member)).wallet.amount).toBe(400);

    await giveUp(member);
    await openBonuses(page);
    await codeField(page).fill(` ${CODE.toLowerCase()} `);
    await button(page, say('bonus:promotion.search')).click();
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(say('errors:errorMsg.PROMOTION_RECEIVED'));
  });

  test('pressing again after a lost answer shows that the promotion is claimed, not an error', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 300);
    await openBonuses(page);
    await codeField(page).fill(CODE);
    await button(page, say('bonus:promotion.search')).click();
    const offer = dialog(page, 'โค้ดกระเป๋าแจกโบนัส');
    await page.route(
      '**/api/promotion/activate/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(say('bonus:undecided'));
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByText(say('bonus:has'))).toBeVisible();
    await expect(offer).not.toContainText(say('bonus:notReceived'));
    await button(offer, say('common:ok')).click();
    await expect(inUse(page)).toContainText(CODE);
    expect((await walletOf(member)).wallet.amount).toBe(400);
  });

  test('an unknown code shows an error, and a text of the operator runs no script [R-BON-04]', async ({
    memberPage: page,
  }) => {
    await openBonuses(page);
    await codeField(page).fill('nobody');
    await button(page, say('bonus:promotion.search')).click();
    const missing = dialog(page, say('bonus:promotion.title', { code: 'NOBODY' }));
    await expect(missing).toContainText(say('bonus:promotion.notFound', { code: 'NOBODY' }));
    await expect(button(missing, say('bonus:receive'))).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(missing).toBeHidden();

    const description = '<p>รับ <b>50</b></p><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>';
    await page.route('**/api/promotion/find/*', (route) =>
      route.fulfill({
        json: {
          code: 'X',
          name: 'ทดลอง',
          percentSuccess: 200,
          percentFail: 7.5,
          description,
          minimumDeposit: 0,
          windowHours: 24,
          turnoverTimes: 6,
        },
      }),
    );
    await button(page, say('bonus:promotion.search')).click();
    const offer = dialog(page, 'ทดลอง');
    await expect(offer.locator('b')).toHaveText('50');
    await expect(offer).toContainText('ไม่เกิน 7.5% ของยอด');
    expect(await offer.locator('script, [onerror]').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });
});

test.describe('a condition', () => {
  test('of millions stays inside the dialog that tells of it', async ({ memberPage: page, member }) => {
    await fund(member, 100);
    await receive(member, 'WELCOME');
    await page.route('**/api/bonus/check/active', async (route) => {
      const response = await route.fetch();
      const active = (await response.json()) as { conditions: object[] };
      const large = {
        base: 24_000_000,
        current: 24_000_000,
        target: 72_000_000,
        missing: 48_000_000,
        floor: 1_200_000,
      };
      const conditions = active.conditions.map((condition) => ({ ...condition, ...large }));
      await route.fulfill({ response, json: { ...active, conditions } });
    });
    await openHome(page);
    await button(page, say('home:withdraw')).click();
    const sheet = dialog(page, say('withdraw:title'));
    await sheet.getByLabel(say('withdraw:amount')).fill('100');
    await button(sheet, say('withdraw:submit')).click();
    const refused = dialog(page, say('withdraw:failureTitle'));
    await expect(refused).toContainText('฿72,000,000.00');
    const right = async (part: Locator) => {
      const box = await part.boundingBox();
      return (box?.x ?? 0) + (box?.width ?? 0);
    };
    const end = await right(button(refused, say('common:ok')));
    const parts = [refused.getByRole('progressbar').first(), refused.getByText('฿72,000,000.00', { exact: true })];
    for (const part of parts) expect(await right(part)).toBeLessThanOrEqual(end + 1);
  });

  test('moves with what is won and lost, and holds withdrawals back with what is missing and the way to it [R-BON-06]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await receive(member, 'WELCOME');
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 100);
    await play('pg', username, 50, 95.5);
    await openBonuses(page);
    const progress = inUse(page).getByRole('progressbar', { name: say('parts:condition.progress') });
    await expect(progress).toHaveAttribute(
      'aria-valuetext',
      say('parts:condition.of', { amount: '฿245.50', target: '฿600.00' }),
    );
    await expect(inUse(page)).toContainText(say('parts:condition.missing', { amount: '฿354.50' }));
    await expect(inUse(page)).toContainText(say('parts:condition.counts', { base: '฿200.00' }));
    await expect(inUse(page)).toContainText('฿10.00');

    await openHome(page);
    await button(page, say('home:withdraw')).click();
    const sheet = dialog(page, say('withdraw:title'));
    const notice = sheet.getByRole('region', { name: say('withdraw:conditions') });
    await expect(notice).toContainText('ไม่เกิน 5% ของยอด');
    await expect(notice).toContainText(WELCOME);
    await expect(notice).toContainText(say('parts:condition.missing', { amount: '฿354.50' }));
    await expect(sheet).toContainText(say('withdraw:notYet'));
    await sheet.getByLabel(say('withdraw:amount')).fill('100');
    await button(sheet, say('withdraw:submit')).click();
    const refused = dialog(page, say('withdraw:failureTitle'));
    await expect(refused).toContainText(say('withdraw:refused.BONUS_CONDITION'));
    await expect(refused).toContainText(say('withdraw:failureMoney'));
    await expect(refused).toContainText(say('parts:condition.missing', { amount: '฿354.50' }));
    await refused.getByRole('link', { name: say('withdraw:toBonuses') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(inUse(page)).toContainText(WELCOME);

    // Won enough: it ends automatically, and so does its hold.
    await play('pg', username, 1, 500);
    await openBonuses(page);
    await expect(codeField(page)).toBeVisible();
    await expect(inUse(page)).toHaveCount(0);
    const paid = await api('POST', '/api/wallet/withdrawAll', {
      token: member.token,
      body: { amount: 600 },
      key: `won-${member.id}`,
    });
    expect(paid.status, JSON.stringify(paid.body)).toBeLessThan(300);
  });
});
