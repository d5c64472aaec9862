import {
  card,
  codeField,
  CODE,
  DAILY,
  giveUp,
  inUse,
  openBonuses,
  receive,
  WEEKLY,
  WELCOME,
} from '../../support/bonus.ts';
import { expectOwnWords } from '../../support/foreign-words.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { openBet } from '../../support/outside.ts';
import { expect, test, withinADay } from '../../support/test.ts';
import { button, dialog, ways } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** Lets no money out while a bet is open. */
const LOTTO = 'huayhd';

test.describe('bonuses', () => {
  test.beforeEach(withinADay);

  test('one is received on a deposit, shows what it asks, and is given up knowing both amounts [R-BON-01] [R-BON-02]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await openBonuses(page);
    await card(page, WELCOME).click();
    const offer = dialog(page, WELCOME);
    const carousel = offer.getByRole('region', { name: WELCOME });
    await expect(carousel.locator('img').first()).toHaveAttribute('src', /welcome\.svg$/);
    await expect(carousel.locator('h3').first()).toHaveText('สมาชิกใหม่รับเพิ่ม 100%');
    await expect(offer).toContainText('ไม่เกิน 5% ของยอด');
    await expect(offer).not.toContainText('{{');
    await button(offer, say('bonus:receive')).click();
    await expect(offer).toContainText(say('bonus:received.title', { amount: '฿100.00' }));
    await expect(offer).toContainText(say('bonus:received.asksText', { target: '฿600.00', floor: '฿10.00' }));
    await button(offer, say('common:ok')).click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    expect((await walletOf(member)).wallet.amount).toBe(200);

    await expect(inUse(page)).toContainText(say('bonus:type.limit'));
    await expect(inUse(page)).toContainText(WELCOME);
    await expect(codeField(page)).toHaveCount(0);
    await expect(card(page, WELCOME).getByRole('img', { name: say('bonus:card.current') })).toBeVisible();

    await button(inUse(page), say('bonus:cancel.open')).click();
    const asked = dialog(page, say('bonus:cancel.title'));
    await expect(asked.getByRole('definition')).toHaveText(['฿100.00', '฿100.00']);
    await button(asked, say('bonus:cancel.leave')).click();
    await expect(inUse(page)).toBeVisible();
    await button(inUse(page), say('bonus:cancel.open')).click();
    await button(asked, say('bonus:cancel.confirm')).click();
    const words = say('bonus:message.BONUS_CLEARED', { takenBack: '฿100.00', kept: '฿100.00' });
    await expect(page.locator('[data-toast=success]')).toContainText(words);
    await expect(inUse(page)).toHaveCount(0);
    await expect(codeField(page)).toBeVisible();
    await expect(card(page, WELCOME)).toBeDisabled();
    await expect(card(page, WELCOME)).toContainText(say('bonus:card.received'));
    expect((await walletOf(member)).wallet.amount).toBe(100);

    await page.goto('/user/statement');
    const rows = page.getByRole('listitem');
    await expect(rows.nth(0)).toContainText(say('statement:cancelled.bonus'));
    await expect(rows.nth(0)).toContainText(WELCOME);
    await expect(rows.nth(0)).toContainText('−100.00');
    await expect(rows.nth(1)).toContainText(say('statement:bonus.bonus'));
    await expect(rows.nth(1)).toContainText('+100.00');
  });

  test('one that can’t be given up yet is said in a dialog with its reason, and stays [R-BON-01]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await receive(member, 'WELCOME');
    const { username } = await openGame(member, LOTTO);
    await transfer(member, 'WALLET', LOTTO, 100);
    await openBet(LOTTO, username, 30);
    await openBonuses(page);
    await expect(inUse(page)).toContainText(say('parts:condition.outstanding', { amount: '฿30.00' }));
    await button(inUse(page), say('bonus:cancel.open')).click();
    await button(dialog(page, say('bonus:cancel.title')), say('bonus:cancel.confirm')).click();
    const failed = dialog(page, say('bonus:cancel.failed'));
    await expect(failed).toContainText(say('bonus:refused.OPEN_BETS'));
    await expect(failed).toContainText(say('bonus:cancel.failedMoney'));
    await button(failed, say('common:ok')).click();
    await expect(inUse(page)).toContainText(WELCOME);
    expect((await walletOf(member)).wallet.amount).toBe(100);
  });

  test('one that has ended meanwhile says so when it is to be given up', async ({ memberPage: page, member }) => {
    await fund(member, 100);
    await receive(member, 'WELCOME');
    await openBonuses(page);
    await button(inUse(page), say('bonus:cancel.open')).click();
    expect((await giveUp(member)).status).toBe(200);
    await button(dialog(page, say('bonus:cancel.title')), say('bonus:cancel.confirm')).click();
    const failed = dialog(page, say('bonus:cancel.failed'));
    await expect(failed).toContainText(say('bonus:cancel.over'));
    await button(failed, say('common:ok')).click();
    await expect(codeField(page)).toBeVisible();
    expect((await walletOf(member)).wallet.amount).toBe(100);
  });
});

test.describe('how often a bonus can be received', () => {
  test.beforeEach(withinADay);

  test('a day’s and a week’s bonus can be had as often as they say, and no oftener [R-BON-02]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 500);
    await receive(member, 'DAILY');
    await giveUp(member);
    await openBonuses(page);
    await expect(card(page, DAILY)).toBeDisabled();
    await expect(card(page, DAILY)).toContainText(say('bonus:card.received'));
    await expect(card(page, WEEKLY)).toBeEnabled();

    // The same receipts on another day, and as many as in a week.
    const now = new Date().toISOString();
    const receipts: Record<string, string[]> = { DAILY: ['2026-01-04T17:00:00.000Z'], WEEKLY: [now, now] };
    await page.route('**/api/bonus', async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { code: string }[];
      const json = list.map((bonus) => {
        const received = receipts[bonus.code]?.map((updatedAt) => ({ updatedAt }));
        return received
          ? { ...bonus, isExhausted: false, userBonus: { _id: bonus.code, isActive: false, received } }
          : bonus;
      });
      await route.fulfill({ response: answer, json });
    });
    await openBonuses(page);
    await expect(card(page, DAILY)).toBeEnabled();
    await expect(card(page, WEEKLY)).toBeDisabled();
    await expect(card(page, WEEKLY)).toContainText(say('bonus:card.received'));
  });

  test('the one in use only confirms and closes, by keyboard too, and focus comes back to its card [R-BON-02]', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await receive(member, 'DAILY');
    await openBonuses(page);
    const asked: string[] = [];
    page.on('request', (request) => void asked.push(new URL(request.url()).pathname));
    const daily = card(page, DAILY);
    await expect(daily.getByRole('img', { name: say('bonus:card.current') })).toBeVisible();
    await daily.press('Enter');
    const offer = dialog(page, DAILY);
    await expect(offer).toContainText(say('bonus:alreadyActive'));
    await expect(button(offer, say('bonus:receive'))).toHaveCount(0);
    await button(offer, say('common:ok')).press('Enter');
    await expect(offer).toBeHidden();
    await expect(daily).toBeFocused();
    expect(asked.filter((path) => path.includes('activate'))).toEqual([]);

    await card(page, WELCOME).click();
    const other = dialog(page, WELCOME);
    await expect(other).toContainText(say('bonus:otherActive', { name: DAILY }));
    await expect(button(other, say('bonus:receive'))).toHaveCount(0);
    await button(other, say('common:ok')).click();
    await expect(other).toBeHidden();
    expect(asked.filter((path) => path.includes('activate'))).toEqual([]);
    expect((await walletOf(member)).wallet.amount).toBe(110);
  });

  test('without a deposit a bonus says what is missing and leads there, and is received after it', async ({
    memberPage: page,
    member,
  }) => {
    await openBonuses(page);
    await card(page, DAILY).click();
    const offer = dialog(page, DAILY);
    const before = offer.locator('section').filter({ hasText: say('bonus:unmet') });
    await expect(before).toContainText(say('bonus:refused.NO_DEPOSIT'));
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(say('bonus:refused.NO_DEPOSIT'));
    await expect(offer.getByRole('alert')).toContainText(say('bonus:notReceived'));
    expect((await walletOf(member)).wallet.amount).toBe(0);
    await button(offer, say('bonus:toDeposit')).click();
    const deposit = dialog(page, say('deposit:title'));
    await expect(ways(deposit, say, 'qr').first()).toBeVisible();
    await fund(member, 100);
    await page.keyboard.press('Escape');
    await expect(deposit).toBeHidden();
    await expect(offer.getByRole('alert')).toHaveCount(0);
    await expect(before).toHaveCount(0);
    await button(offer, say('bonus:receive')).click();
    await expect(offer).toContainText(say('bonus:received.title', { amount: '฿10.00' }));
  });
});

test.describe('bonuses when calls fail', () => {
  test.beforeEach(withinADay);

  test('an answer that was lost is not a no: the page shows what really happened', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await openBonuses(page);
    await page.route(
      '**/api/bonus/activate/*',
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await card(page, WELCOME).click();
    const offer = dialog(page, WELCOME);
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(say('bonus:undecided'));
    await expect(offer).toContainText(say('bonus:alreadyActive'));
    await button(offer, say('common:ok')).click();
    await expect(inUse(page)).toContainText(WELCOME);
    expect((await walletOf(member)).wallet.amount).toBe(200);
  });

  test('what can’t be loaded is said with a way to try again; a list that can’t be had says nothing [R-NET-08]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/bonus{,/check/active}', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await page.goto('/user/bonus');
    await expect(page.getByRole('alert')).toContainText(say('bonus:active.unknown'));
    await expect(page.getByRole('alert')).toHaveCount(1);
    // The list was refused too: a pending load is not repeated.
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await page.unrouteAll();
    await button(page, say('common:retry')).click();
    await expect(codeField(page)).toBeVisible();
    await expect(card(page, WELCOME)).toBeVisible();
  });

  test('without a line nothing is promised, and a code is searched for by itself when it is back', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 300);
    await openBonuses(page);
    // What the page loads once it is idle.
    await card(page, WELCOME).click();
    await expect(dialog(page, WELCOME).locator('h3').first()).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await page.context().setOffline(true);
    await card(page, DAILY).click();
    const offer = dialog(page, DAILY);
    await button(offer, say('bonus:receive')).click();
    await expect(offer.getByRole('alert')).toContainText(say('common:offline.unsent'));
    await expect(offer.getByRole('alert')).toContainText(say('bonus:notReceived'));
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await codeField(page).fill(CODE);
    await codeField(page).press('Enter');
    await expect(page.getByRole('dialog')).toContainText(say('bonus:promotion.failed'));
    await expect(page.getByRole('dialog')).toContainText(say('common:offline.unsent'));
    await page.context().setOffline(false);
    await expect(dialog(page, 'โค้ดกระเป๋าแจกโบนัส').locator('b').first()).toHaveText('฿300.00');
    expect((await walletOf(member)).wallet.amount).toBe(300);
  });

  test('ours and the operator’s words follow the language that is chosen, in the dialogs too', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await openBonuses(page);
    const names = { en: 'Daily bonus 10%', la: 'ໂບນັດປະຈຳວັນ 10%', th: DAILY } as const;
    for (const [language, name] of Object.entries(names) as [keyof typeof names, string][]) {
      const inLanguage = speaking(language);
      const nothingForeign = (where: string): Promise<void> =>
        expectOwnWords(page, language, [WELCOME], `${where} in ${language}`);
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      const all = page.getByRole('region', { name: inLanguage('bonus:all') });
      await expect(all.getByRole('button', { name })).toBeVisible();
      await nothingForeign('the page');
      await all.getByRole('button', { name }).click();
      await expect(dialog(page, name).locator('h3').first()).toBeVisible();
      await nothingForeign('a bonus');
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
      // What is in use is called as it was when it was received.
      if (language === 'en') await receive(member, 'WELCOME');
      if (language === 'en') await page.reload();
      await button(page, inLanguage('bonus:cancel.open')).click();
      await expect(dialog(page, inLanguage('bonus:cancel.title'))).toBeVisible();
      await nothingForeign('giving it up');
      await button(page, inLanguage('bonus:cancel.leave')).click();
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
  });
});
