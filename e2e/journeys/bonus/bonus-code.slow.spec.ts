import type { Locator } from '@playwright/test';
import {
  PROMOTION_CODE,
  promotionCodeField,
  giveUpBonus,
  activeBonusRegion,
  openBonusPage,
  receiveBonus,
  WELCOME_BONUS_NAME,
} from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('promotion codes', () => {
  test('a promotion code is required, converted to upper case, searched, reported as found or unknown, and received [R-BON-04]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 300);
    await openBonusPage(page);
    await buttonByName(page, translate('bonus:promotion.search')).click();
    await expect(page.getByRole('alert')).toHaveText(translate('bonus:promotion.required'));
    await expect(promotionCodeField(page)).toHaveAttribute('required');
    await promotionCodeField(page).pressSequentially('krao100');
    await expect(promotionCodeField(page)).toHaveValue('KRAO100');
    // The caret stays in the middle after an insertion there.
    await promotionCodeField(page).evaluate((input: HTMLInputElement) => input.setSelectionRange(3, 3));
    await page.keyboard.type('pa');
    await expect(promotionCodeField(page)).toHaveValue(PROMOTION_CODE);

    const searchAnswered = Promise.withResolvers<void>();
    await page.route(
      '**/api/promotion/find/*',
      async (route) => {
        await searchAnswered.promise;
        await route.continue();
      },
      { times: 1 },
    );
    await page.keyboard.press('Enter');
    const searchDialog = dialogByName(page, translate('bonus:promotion.title', { code: PROMOTION_CODE }));
    await expect(searchDialog.getByText(translate('bonus:promotion.searching'))).toBeVisible();
    await expect(buttonByName(searchDialog, translate('bonus:receive'))).toHaveCount(0);
    searchAnswered.resolve();
    const offer = dialogByName(page, 'โค้ดกระเป๋าแจกโบนัส');
    await expect(offer.locator('b').first()).toHaveText('฿300.00');
    await expect(offer).toContainText(translate('bonus:terms.percentOf', { percent: 5 }));
    await expect(offer).toContainText('ไม่เกิน 5% ของยอด');
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer).toContainText(translate('bonus:received.title', { amount: '฿100.00' }));
    await expect(offer).toContainText(translate('bonus:received.asksText', { target: '฿1,200.00', floor: '฿20.00' }));
    await buttonByName(offer, translate('common:ok')).click();
    await expect(activeBonusRegion(page)).toContainText(translate('bonus:type.promotion'));
    await expect(activeBonusRegion(page)).toContainText(PROMOTION_CODE);
    expect((await readWallet(member)).wallet.amount).toBe(400);

    await giveUpBonus(member);
    await openBonusPage(page);
    await promotionCodeField(page).fill(` ${PROMOTION_CODE.toLowerCase()} `);
    await buttonByName(page, translate('bonus:promotion.search')).click();
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(translate('errors:errorMsg.PROMOTION_RECEIVED'));
  });

  test('repeating a claim whose reply was lost shows that the promotion is claimed, not an error', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 300);
    await openBonusPage(page);
    await promotionCodeField(page).fill(PROMOTION_CODE);
    await buttonByName(page, translate('bonus:promotion.search')).click();
    const offer = dialogByName(page, 'โค้ดกระเป๋าแจกโบนัส');
    await page.route(
      '**/api/promotion/activate/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(translate('bonus:undecided'));
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByText(translate('bonus:has'))).toBeVisible();
    await expect(offer).not.toContainText(translate('bonus:notReceived'));
    await buttonByName(offer, translate('common:ok')).click();
    await expect(activeBonusRegion(page)).toContainText(PROMOTION_CODE);
    expect((await readWallet(member)).wallet.amount).toBe(400);
  });

  test("an unknown promotion code shows an error, and the operator's text runs no script [R-BON-04]", async ({
    memberPage: page,
  }) => {
    await openBonusPage(page);
    await promotionCodeField(page).fill('nobody');
    await buttonByName(page, translate('bonus:promotion.search')).click();
    const unknownCodeDialog = dialogByName(page, translate('bonus:promotion.title', { code: 'NOBODY' }));
    await expect(unknownCodeDialog).toContainText(translate('bonus:promotion.notFound', { code: 'NOBODY' }));
    await expect(buttonByName(unknownCodeDialog, translate('bonus:receive'))).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(unknownCodeDialog).toBeHidden();

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
    await buttonByName(page, translate('bonus:promotion.search')).click();
    const offer = dialogByName(page, 'ทดลอง');
    await expect(offer.locator('b')).toHaveText('50');
    await expect(offer).toContainText('ไม่เกิน 7.5% ของยอด');
    expect(await offer.locator('script, [onerror]').count()).toBe(0);
    expect(await page.evaluate(() => 'hacked' in window)).toBe(false);
  });
});

test.describe('a condition', () => {
  test('a condition of millions fits into the dialog that shows it', async ({ memberPage: page, member }) => {
    await fundWallet(member, 100);
    await receiveBonus(member, 'WELCOME');
    await page.route('**/api/bonus/check/active', async (route) => {
      const response = await route.fetch();
      const active = (await response.json()) as { conditions: object[] };
      const largeCondition = {
        base: 24_000_000,
        current: 24_000_000,
        target: 72_000_000,
        missing: 48_000_000,
        floor: 1_200_000,
      };
      const conditions = active.conditions.map((condition) => ({ ...condition, ...largeCondition }));
      await route.fulfill({ response, json: { ...active, conditions } });
    });
    await openHome(page);
    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await expect(sheet).toContainText('฿72,000,000.00');
    const readRightEdge = async (element: Locator) => {
      const elementBox = await element.boundingBox();
      return (elementBox?.x ?? 0) + (elementBox?.width ?? 0);
    };
    const buttonEdge = await readRightEdge(buttonByName(sheet, translate('withdraw:submit')));
    const dialogElements = [sheet.getByRole('progressbar').first(), sheet.getByText('฿72,000,000.00', { exact: true })];
    for (const dialogElement of dialogElements)
      expect(await readRightEdge(dialogElement)).toBeLessThanOrEqual(buttonEdge + 1);
  });

  test("a condition's progress follows wins and losses; a blocked withdrawal shows the missing amount and a link to play [R-BON-06]", async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await receiveBonus(member, 'WELCOME');
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 100);
    await playRound('pg', username, 50, 95.5);
    await openBonusPage(page);
    const progressBar = activeBonusRegion(page).getByRole('progressbar', {
      name: translate('parts:condition.progress'),
    });
    await expect(progressBar).toHaveAttribute(
      'aria-valuetext',
      translate('parts:condition.of', { amount: '฿245.50', target: '฿600.00' }),
    );
    await expect(activeBonusRegion(page)).toContainText(translate('parts:condition.missing', { amount: '฿354.50' }));
    await expect(activeBonusRegion(page)).toContainText(translate('parts:condition.counts', { base: '฿200.00' }));
    await expect(activeBonusRegion(page)).toContainText('฿10.00');

    await openHome(page);
    const missing = { kind: translate('parts:condition.kind.BONUS'), amount: '฿354.50' };
    await expect(page.getByRole('link', { name: translate('home:openConditionLeft', missing) })).toBeVisible();
    // The app learns of the condition only after it has sent the withdrawal: the refusal says the same.
    let isHidden = true;
    page.on('request', (request) => {
      if (request.url().endsWith('/api/wallet/withdrawAll')) isHidden = false;
    });
    await page.route('**/api/bonus/check/active', async (route) => {
      const response = await route.fetch();
      const active = (await response.json()) as object;
      await route.fulfill({ response, json: isHidden ? { ...active, conditions: [] } : active });
    });
    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await sheet.getByLabel(translate('withdraw:amount')).fill('100');
    await buttonByName(sheet, translate('withdraw:submit')).click();
    await buttonByName(sheet, translate('withdraw:review.confirm')).click();
    const failureDialog = dialogByName(page, translate('withdraw:failureTitle'));
    await expect(failureDialog).toContainText(translate('withdraw:refused.BONUS_CONDITION'));
    await expect(failureDialog).toContainText(translate('withdraw:failureMoney'));
    await expect(failureDialog).toContainText(translate('parts:condition.missing', { amount: '฿354.50' }));
    await buttonByName(failureDialog, translate('common:ok')).click();
    // Then the reason comes first, and the form is closed.
    const notice = sheet.getByRole('region', { name: translate('withdraw:conditions') });
    await expect(notice).toContainText('ไม่เกิน 5% ของยอด');
    await expect(notice).toContainText(WELCOME_BONUS_NAME);
    await expect(notice).toContainText(translate('parts:condition.missing', { amount: '฿354.50' }));
    await expect(sheet).toContainText(translate('withdraw:notYet'));
    await expect(sheet).not.toContainText(translate('withdraw:sweepsToWallet', { amount: '฿145.50' }));
    await expect(buttonByName(sheet, translate('withdraw:submit'))).toBeDisabled();
    await expect(sheet.getByLabel(translate('withdraw:amount'))).toBeDisabled();
    await expect(sheet.getByRole('group', { name: translate('common:quickAmounts') })).toHaveCount(0);
    const [reason, field] = await Promise.all([
      notice.boundingBox(),
      sheet.getByLabel(translate('withdraw:amount')).boundingBox(),
    ]);
    expect(reason?.y).toBeLessThan(field?.y ?? 0);
    await sheet.getByRole('link', { name: translate('withdraw:toBonuses') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(activeBonusRegion(page)).toContainText(WELCOME_BONUS_NAME);

    // The win meets the condition: the bonus and its hold end automatically.
    await playRound('pg', username, 1, 500);
    await openBonusPage(page);
    await expect(promotionCodeField(page)).toBeVisible();
    await expect(activeBonusRegion(page)).toHaveCount(0);
    const withdrawReply = await api('POST', '/api/wallet/withdrawAll', {
      token: member.token,
      body: { amount: 600 },
      key: `won-${member.id}`,
    });
    expect(withdrawReply.status, JSON.stringify(withdrawReply.body)).toBeLessThan(300);
  });
});
