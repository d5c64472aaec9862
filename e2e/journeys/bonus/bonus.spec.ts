import {
  bonusCard,
  promotionCodeField,
  PROMOTION_CODE,
  DAILY_BONUS_NAME,
  giveUpBonus,
  activeBonusRegion,
  openBonusPage,
  receiveBonus,
  WEEKLY_BONUS_NAME,
  WELCOME_BONUS_NAME,
} from '../../support/bonus.ts';
import { expectOnlyLanguage } from '../../support/foreign-text.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { openBet } from '../../support/simulators.ts';
import { expect, test, waitForTimeBeforeMidnight } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, depositMethodButtons } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** Lets no money out while a bet is open. */
const LOTTO_GAME = 'huayhd';

test.describe('bonuses', () => {
  test.beforeEach(waitForTimeBeforeMidnight);

  test('a bonus is received on a deposit, shows its condition, and is cancelled after a dialog with both amounts [R-BON-01] [R-BON-02]', async ({
    memberPage: page,
    member,
    wire,
  }) => {
    await fundWallet(member, 100);
    await page.route('**/api/bonus/requirements/*', (route) =>
      route.fulfill({ json: { unmet: [{ code: 'BONUS_REMAINING', detail: 'MONEY_LEFT' }] } }),
    );
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/bonus/activate/*', async (route) => {
      await isReleased;
      await route.continue();
    });
    await openBonusPage(page);
    await bonusCard(page, WELCOME_BONUS_NAME).click();
    const offer = dialogByName(page, WELCOME_BONUS_NAME);
    const carousel = offer.getByRole('region', { name: WELCOME_BONUS_NAME });
    await expect(carousel.locator('img').first()).toHaveAttribute('src', /welcome\.svg$/);
    await expect(carousel.locator('h3').first()).toHaveText('สมาชิกใหม่รับเพิ่ม 100%');
    await expect(offer).toContainText('ไม่เกิน 5% ของยอด');
    await expect(offer).not.toContainText('{{');
    const moneyRequests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/api/money/')) moneyRequests.push(request.url());
    });
    const toWithdraw = buttonByName(offer, translate('bonus:toWithdraw'));
    await expect(toWithdraw).toBeEnabled();
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(toWithdraw).toBeDisabled();
    release();
    await expect(offer).toContainText(translate('bonus:received.title', { amount: '฿100.00' }));
    await expect(offer).toContainText(translate('bonus:received.asksText', { target: '฿600.00', floor: '฿10.00' }));
    // The sheet shows the outcome of its claim, so no toast repeats it at the event.
    await expect.poll(() => [...wire.packets]).toContain('event');
    await expect(page.locator('[data-toast]')).toHaveCount(0);
    // A toast would load the bonus first.
    expect(moneyRequests).toEqual([]);
    await buttonByName(offer, translate('common:ok')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect((await readWallet(member)).wallet.amount).toBe(200);

    await expect(activeBonusRegion(page)).toContainText(translate('bonus:type.limit'));
    await expect(activeBonusRegion(page)).toContainText(WELCOME_BONUS_NAME);
    await expect(promotionCodeField(page)).toHaveCount(0);
    await expect(
      bonusCard(page, WELCOME_BONUS_NAME).getByRole('img', { name: translate('bonus:card.current') }),
    ).toBeVisible();

    await buttonByName(activeBonusRegion(page), translate('bonus:cancel.open')).click();
    const confirmDialog = dialogByName(page, translate('bonus:cancel.title'));
    await expect(confirmDialog.getByRole('definition')).toHaveText(['฿100.00', '฿100.00']);
    await buttonByName(confirmDialog, translate('bonus:cancel.leave')).click();
    await expect(activeBonusRegion(page)).toBeVisible();
    await buttonByName(activeBonusRegion(page), translate('bonus:cancel.open')).click();
    await buttonByName(confirmDialog, translate('bonus:cancel.confirm')).click();
    const clearedText = translate('bonus:message.BONUS_CLEARED', { takenBack: '฿100.00', kept: '฿100.00' });
    await expect(page.locator('[data-toast=success]')).toContainText(clearedText);
    await expect(activeBonusRegion(page)).toHaveCount(0);
    await expect(promotionCodeField(page)).toBeVisible();
    await expect(bonusCard(page, WELCOME_BONUS_NAME)).toBeDisabled();
    await expect(bonusCard(page, WELCOME_BONUS_NAME)).toContainText(translate('bonus:card.received'));
    expect((await readWallet(member)).wallet.amount).toBe(100);

    await page.goto('/user/statement');
    const rows = page.getByRole('listitem');
    await expect(rows.nth(0)).toContainText(translate('statement:cancelled.bonus'));
    await expect(rows.nth(0)).toContainText(WELCOME_BONUS_NAME);
    await expect(rows.nth(0)).toContainText('−100.00');
    await expect(rows.nth(1)).toContainText(translate('statement:bonus.bonus'));
    await expect(rows.nth(1)).toContainText('+100.00');
  });

  test('a bonus that cannot be cancelled yet says so in a dialog with the reason, and stays [R-BON-01]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await receiveBonus(member, 'WELCOME');
    const { username } = await openGameAccount(member, LOTTO_GAME);
    await transferMoney(member, 'WALLET', LOTTO_GAME, 100);
    await openBet(LOTTO_GAME, username, 30);
    await openBonusPage(page);
    await expect(activeBonusRegion(page)).toContainText(translate('parts:condition.outstanding', { amount: '฿30.00' }));
    await buttonByName(activeBonusRegion(page), translate('bonus:cancel.open')).click();
    await buttonByName(dialogByName(page, translate('bonus:cancel.title')), translate('bonus:cancel.confirm')).click();
    const failureDialog = dialogByName(page, translate('bonus:cancel.failed'));
    await expect(failureDialog).toContainText(translate('bonus:refused.OPEN_BETS'));
    await expect(failureDialog).toContainText(translate('bonus:cancel.failedMoney'));
    await buttonByName(failureDialog, translate('common:ok')).click();
    await expect(activeBonusRegion(page)).toContainText(WELCOME_BONUS_NAME);
    expect((await readWallet(member)).wallet.amount).toBe(100);
  });

  test('cancelling a bonus that has ended since the page loaded reports that it has ended', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await receiveBonus(member, 'WELCOME');
    await openBonusPage(page);
    await buttonByName(activeBonusRegion(page), translate('bonus:cancel.open')).click();
    expect((await giveUpBonus(member)).status).toBe(200);
    await buttonByName(dialogByName(page, translate('bonus:cancel.title')), translate('bonus:cancel.confirm')).click();
    const failureDialog = dialogByName(page, translate('bonus:cancel.failed'));
    await expect(failureDialog).toContainText(translate('bonus:cancel.over'));
    await buttonByName(failureDialog, translate('common:ok')).click();
    await expect(promotionCodeField(page)).toBeVisible();
    expect((await readWallet(member)).wallet.amount).toBe(100);
  });
});

test.describe('how often a bonus can be received', () => {
  test.beforeEach(waitForTimeBeforeMidnight);

  test('a daily and a weekly bonus can be received as often as stated, and not more often [R-BON-02]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    await receiveBonus(member, 'DAILY');
    await giveUpBonus(member);
    await openBonusPage(page);
    await expect(bonusCard(page, DAILY_BONUS_NAME)).toBeDisabled();
    await expect(bonusCard(page, DAILY_BONUS_NAME)).toContainText(translate('bonus:card.received'));
    await expect(bonusCard(page, WEEKLY_BONUS_NAME)).toBeEnabled();

    // The same receipts a day later, and as many receipts as a week allows.
    const now = new Date().toISOString();
    const RECEIPTS_BY_CODE: Record<string, string[]> = { DAILY: ['2026-01-04T17:00:00.000Z'], WEEKLY: [now, now] };
    await page.route('**/api/bonus', async (route) => {
      const serverReply = await route.fetch();
      const bonusList = (await serverReply.json()) as { code: string }[];
      const json = bonusList.map((bonus) => {
        const received = RECEIPTS_BY_CODE[bonus.code]?.map((updatedAt) => ({ updatedAt }));
        return received
          ? { ...bonus, isExhausted: false, userBonus: { _id: bonus.code, isActive: false, received } }
          : bonus;
      });
      await route.fulfill({ response: serverReply, json });
    });
    await openBonusPage(page);
    await expect(bonusCard(page, DAILY_BONUS_NAME)).toBeEnabled();
    await expect(bonusCard(page, WEEKLY_BONUS_NAME)).toBeDisabled();
    await expect(bonusCard(page, WEEKLY_BONUS_NAME)).toContainText(translate('bonus:card.received'));
  });

  test('the card of the active bonus only shows a confirmation, also by keyboard, and gets the focus back [R-BON-02]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await receiveBonus(member, 'DAILY');
    await openBonusPage(page);
    const requestedCodes: string[] = [];
    page.on('request', (request) => void requestedCodes.push(new URL(request.url()).pathname));
    const dailyBonus = bonusCard(page, DAILY_BONUS_NAME);
    await expect(dailyBonus.getByRole('img', { name: translate('bonus:card.current') })).toBeVisible();
    await dailyBonus.press('Enter');
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    await expect(offer).toContainText(translate('bonus:alreadyActive'));
    await expect(buttonByName(offer, translate('bonus:receive'))).toHaveCount(0);
    await buttonByName(offer, translate('common:ok')).press('Enter');
    await expect(offer).toBeHidden();
    await expect(dailyBonus).toBeFocused();
    expect(requestedCodes.filter((path) => path.includes('activate'))).toEqual([]);

    await bonusCard(page, WELCOME_BONUS_NAME).click();
    const otherDialog = dialogByName(page, WELCOME_BONUS_NAME);
    await expect(otherDialog).toContainText(translate('bonus:otherActive', { name: DAILY_BONUS_NAME }));
    await expect(buttonByName(otherDialog, translate('bonus:receive'))).toHaveCount(0);
    await buttonByName(otherDialog, translate('common:ok')).click();
    await expect(otherDialog).toBeHidden();
    expect(requestedCodes.filter((path) => path.includes('activate'))).toEqual([]);
    expect((await readWallet(member)).wallet.amount).toBe(110);
  });

  test('without a deposit a bonus shows what is missing, links to the deposit, and can be received after it', async ({
    memberPage: page,
    member,
  }) => {
    await openBonusPage(page);
    await bonusCard(page, DAILY_BONUS_NAME).click();
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    const before = offer.locator('section').filter({ hasText: translate('bonus:unmet') });
    await expect(before).toContainText(translate('bonus:refused.NO_DEPOSIT'));
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(translate('bonus:refused.NO_DEPOSIT'));
    await expect(offer.getByRole('alert')).toContainText(translate('bonus:notReceived'));
    expect((await readWallet(member)).wallet.amount).toBe(0);
    await buttonByName(offer, translate('bonus:toDeposit')).click();
    const deposit = dialogByName(page, translate('deposit:title'));
    await expect(depositMethodButtons(deposit, translate, 'qr').first()).toBeVisible();
    await fundWallet(member, 100);
    await page.keyboard.press('Escape');
    await expect(deposit).toBeHidden();
    await expect(offer.getByRole('alert')).toHaveCount(0);
    await expect(before).toHaveCount(0);
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer).toContainText(translate('bonus:received.title', { amount: '฿10.00' }));
  });
});

test.describe('bonuses when calls fail', () => {
  test.beforeEach(waitForTimeBeforeMidnight);

  test('after a lost reply the bonus page shows the actual outcome, not a refusal', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await openBonusPage(page);
    await page.route(
      '**/api/bonus/activate/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await bonusCard(page, WELCOME_BONUS_NAME).click();
    const offer = dialogByName(page, WELCOME_BONUS_NAME);
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(translate('bonus:undecided'));
    await expect(offer).toContainText(translate('bonus:alreadyActive'));
    await buttonByName(offer, translate('common:ok')).click();
    await expect(activeBonusRegion(page)).toContainText(WELCOME_BONUS_NAME);
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });

  test('bonuses that fail to load can be requested again; a list of received bonuses that fails to load shows no error [R-NET-08]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/bonus{,/check/active}', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await page.goto('/user/bonus');
    await expect(page.getByRole('alert')).toContainText(translate('bonus:active.unknown'));
    await expect(page.getByRole('alert')).toHaveCount(1);
    // The list was refused too: a pending load is not repeated.
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await page.unrouteAll();
    await buttonByName(page, translate('common:retry')).click();
    await expect(promotionCodeField(page)).toBeVisible();
    await expect(bonusCard(page, WELCOME_BONUS_NAME)).toBeVisible();
  });

  test('offline the bonus page promises no bonus, and a code is searched automatically after the reconnection', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 300);
    await openBonusPage(page);
    // Requests that the page sends once it is idle.
    await bonusCard(page, WELCOME_BONUS_NAME).click();
    await expect(dialogByName(page, WELCOME_BONUS_NAME).locator('h3').first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.context().setOffline(true);
    await bonusCard(page, DAILY_BONUS_NAME).click();
    const offer = dialogByName(page, DAILY_BONUS_NAME);
    await buttonByName(offer, translate('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(translate('common:offline.unsent'));
    await expect(offer.getByRole('alert')).toContainText(translate('bonus:notReceived'));
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await promotionCodeField(page).fill(PROMOTION_CODE);
    await promotionCodeField(page).press('Enter');
    await expect(page.getByRole('dialog')).toContainText(translate('bonus:promotion.failed'));
    await expect(page.getByRole('dialog')).toContainText(translate('common:offline.unsent'));
    await page.context().setOffline(false);
    await expect(dialogByName(page, 'โค้ดกระเป๋าแจกโบนัส').locator('b').first()).toHaveText('฿300.00');
    expect((await readWallet(member)).wallet.amount).toBe(300);
  });

  test('texts of the app and of the operator follow the chosen language, also in bonus dialogs', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await openBonusPage(page);
    const names = { en: 'Daily bonus 10%', la: 'ໂບນັດປະຈຳວັນ 10%', th: DAILY_BONUS_NAME } as const;
    for (const [language, name] of Object.entries(names) as [keyof typeof names, string][]) {
      const translateTo = translatorFor(language);
      const expectNothingForeign = (screenName: string): Promise<void> =>
        expectOnlyLanguage(page, language, [WELCOME_BONUS_NAME], `${screenName} in ${language}`);
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      const allBonuses = page.getByRole('region', { name: translateTo('bonus:all') });
      await expect(allBonuses.getByRole('button', { name })).toBeVisible();
      await expectNothingForeign('the page');
      await allBonuses.getByRole('button', { name }).click();
      await expect(dialogByName(page, name).locator('h3').first()).toBeVisible();
      await expectNothingForeign('a bonus');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      // A bonus in use keeps the name that it had when it was received.
      if (language === 'en') await receiveBonus(member, 'WELCOME');
      if (language === 'en') await page.reload();
      await buttonByName(page, translateTo('bonus:cancel.open')).click();
      await expect(dialogByName(page, translateTo('bonus:cancel.title'))).toBeVisible();
      await expectNothingForeign('giving it up');
      await buttonByName(page, translateTo('bonus:cancel.leave')).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
  });
});
