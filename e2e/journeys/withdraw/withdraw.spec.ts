import type { Page } from '@playwright/test';
import { newAccountNo, newMember } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { joinedLine, openHome, withoutLine } from '../../support/home.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const sheet = (page: Page) => dialog(page, say('withdraw:title'));
const amount = (page: Page) => sheet(page).getByLabel(say('withdraw:amount'));
const send = (page: Page) => button(sheet(page), say('withdraw:submit')).click();
const PATIENCE = { timeout: 30_000 };
/** The bank has closed the accounts whose numbers begin so. */
const CLOSED = '998';

/** Withholds the outcome of a withdrawal from the app: the bank of these tests pays within a second. */
const withoutOutcome = (page: Page) => page.route('**/api/statement', (route) => route.abort());

async function openSheet(page: Page): Promise<void> {
  await page.reload();
  await button(page, say('home:withdraw')).click();
  await expect(amount(page)).toBeVisible();
}

test.describe('withdraw', () => {
  test('says what bonuses have to do with it, holds to both limits, and takes out money of the wallet without touching a game [R-WDR-01] [R-HOME-07]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 500);
    await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 200);
    await openHome(memberPage);
    // No event that would reload the wallet as well.
    await withoutLine(memberPage);
    await openSheet(memberPage);
    const notice = sheet(memberPage).getByRole('region', { name: say('withdraw:conditions') });
    await expect(notice).toContainText('ต้องทำยอดให้ถึงเงื่อนไขก่อนจึงจะถอนเงินได้');
    await expect(notice).toContainText(`ไม่เกิน${say('withdraw:percentSet')}ของยอด`);
    await expect(notice).not.toContainText('{{');
    const account = sheet(memberPage).getByRole('region', { name: say('withdraw:goesTo') });
    await expect(account).toContainText(member.bankAccountNo.replace(/^(...)(...)/, '$1-$2-'));
    await expect(account).toContainText('SOMYING THOTSOP');
    await expect(sheet(memberPage)).toContainText(say('withdraw:sweepsToWallet', { amount: '฿200.00' }));

    const fault = sheet(memberPage).getByRole('alert');
    for (const [typed, words] of [
      ['', say('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['99.99', say('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['50000.01', say('withdraw:maximumAmount', { amount: '฿50,000.00' })],
      ['500.01', say('withdraw:notEnough', { amount: '฿500.00' })],
    ] as const) {
      await amount(memberPage).fill(typed);
      await send(memberPage);
      await expect(fault).toHaveText(words);
    }
    await button(sheet(memberPage), say('withdraw:all')).click();
    await expect(amount(memberPage)).toHaveValue('500');
    await amount(memberPage).fill('150.25');

    await withoutOutcome(memberPage);
    const asked = memberPage.waitForRequest('**/api/wallet/withdrawAll');
    await send(memberPage);
    expect((await asked).postDataJSON()).toEqual({ amount: 150.25 });
    expect(await (await asked).headerValue('idempotency-key')).toBeTruthy();
    const success = dialog(memberPage, say('withdraw:successTitle'));
    await expect(success).toContainText('กรุณารอเงินโอนเข้าบัญชี');
    await expect(success).toContainText('฿150.25');
    const reload = memberPage.waitForRequest((request) => new URL(request.url()).pathname === '/api/wallet');
    await button(success, say('common:ok')).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await reload;
    await expect(memberPage.locator('.fit-amount')).toHaveText('349.75');
    // This page is not notified that it is paid.
    await expect
      .poll(async () => {
        const { wallet, slots, withdrawal } = await walletOf(member);
        return [wallet.amount, slots.find(({ code }) => code === 'pg')?.amount, withdrawal];
      }, PATIENCE)
      .toEqual([149.75, 200, null]);
    await memberPage.unroute('**/api/statement');
    await memberPage.goto('/user/statement');
    const row = memberPage.getByRole('listitem').first();
    await expect(row).toContainText(say('statement:withdraw', { to: 'SCB' }));
    await expect(row).toContainText('−150.25');
    await expect(row.locator('[data-status=SUCCESS]')).toBeVisible();
  });

  test('while a request waits for its answer the sheet goes on saying what could be withdrawn when it was asked', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    // The outcome replaces the sheet, also while a question is open.
    await withoutOutcome(memberPage);
    await amount(memberPage).fill('200');
    const release = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/withdrawAll', async (route) => {
      const response = await route.fetch();
      await release.promise;
      await route.fulfill({ response });
    });
    await send(memberPage);
    await expect(memberPage.locator('.fit-amount')).toHaveText('100.00', PATIENCE);
    await expect(sheet(memberPage)).toContainText(say('withdraw:available', { amount: '฿300.00' }));
    await expect(sheet(memberPage).getByRole('alert')).toHaveCount(0);
    release.resolve();
    await expect(memberPage.getByRole('dialog').last()).toContainText('฿200.00');
  });
});

test.describe('outcomes of a withdrawal', () => {
  test('the answer to a request goes on to tell by itself that it is paid', async ({ memberPage, member }) => {
    await fund(member, 300);
    const joined = joinedLine(memberPage);
    await openHome(memberPage);
    await joined;
    await button(memberPage, say('home:withdraw')).click();
    await amount(memberPage).fill('120');
    await send(memberPage);
    const paid = dialog(memberPage, say('withdraw:paidTitle'));
    await expect(paid).toBeVisible(PATIENCE);
    await expect(paid).toContainText('฿120.00');
    await expect(memberPage.getByRole('dialog')).toHaveCount(1);
    await expect(memberPage.getByText(say('parts:moneyNews.withdrawPaid', { amount: '฿120.00' }))).toHaveCount(0);
    await button(paid, say('common:ok')).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    expect((await walletOf(member)).wallet.amount).toBe(180);
  });

  test('a refusal by the bank gives the money back and says why, also where no events come, and in the statement', async ({
    page,
  }) => {
    const member = await newMember({ bankAccountNo: `${CLOSED}${newAccountNo().slice(3)}` });
    await signIn(page, member);
    await fund(member, 300);
    await page.route('**/socket.io/**', (route) => route.abort());
    await page.routeWebSocket('**/socket.io/**', (socket) => socket.close());
    await openHome(page);
    await openSheet(page);
    await amount(page).fill('200');
    await send(page);
    const reason = say('parts:withdrawReason.ACCOUNT_CLOSED');
    const failed = dialog(page, say('withdraw:failureTitle'));
    await expect(failed).toContainText(reason, PATIENCE);
    await expect(failed).toContainText(say('withdraw:cameBack', { amount: '฿200.00' }));
    await expect.poll(async () => (await walletOf(member)).wallet.amount, PATIENCE).toBe(300);
    await page.goto('/user/statement');
    const row = page.getByRole('listitem').first();
    await expect(row.locator('[data-status=FAILED]')).toBeVisible();
    await expect(row).toContainText(say('statement:withdrawFailed', { reason }));
    await expect(row).toContainText('200.00');
  });

  test('what the server refuses is said in a modal with its words, and nothing is taken [R-WDR-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    const refused = dialog(memberPage, say('withdraw:failureTitle'));
    for (const [sent, words] of [
      [40_000, say('errors:errorMsg.MONEY_NOT_ENOUGH')],
      [1, say('withdraw:minimumAmount', { amount: '฿100.00' })],
      [50_001, say('withdraw:maximumAmount', { amount: '฿50,000.00' })],
    ] as const) {
      await memberPage.route('**/api/wallet/withdrawAll', (route) => route.continue({ postData: { amount: sent } }), {
        times: 1,
      });
      await amount(memberPage).fill('100');
      await send(memberPage);
      await expect(refused).toContainText(words);
      await expect(refused).toContainText(say('withdraw:failureMoney'));
      await button(refused, say('common:ok')).click();
      await expect(amount(memberPage)).toHaveValue('100');
    }
    expect((await walletOf(member)).wallet.amount).toBe(300);
  });

  test('a lost answer is asked for again with the same key, and the money leaves once', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    const keys: (string | null)[] = [];
    await memberPage.route('**/api/wallet/withdrawAll', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      if (keys.length === 1) await route.abort();
      else await route.fulfill({ response });
    });
    await withoutOutcome(memberPage);
    await amount(memberPage).fill('100');
    await send(memberPage);
    await button(dialog(memberPage, say('withdraw:unknownTitle')), say('withdraw:tryAgain')).click();
    await expect(dialog(memberPage, say('withdraw:successTitle'))).toBeVisible();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
    expect((await walletOf(member)).wallet.amount).toBe(200);
  });

  test('who has kip reads of kip', async ({ memberPage, member }) => {
    await fund(member, 300);
    await memberPage.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { profile: object };
      await route.fulfill({ response, json: { ...body, profile: { ...body.profile, currency: 'LAK' } } });
    });
    await openHome(memberPage);
    await openSheet(memberPage);
    await amount(memberPage).fill('1234.5');
    await expect(sheet(memberPage).getByRole('alert')).toHaveText(say('common:amountFault.fraction'));
    await amount(memberPage).fill('1.234');
    await expect(amount(memberPage)).toHaveValue('1,234');
    await expect(sheet(memberPage).getByRole('alert')).toContainText('₭');
    await expect(sheet(memberPage)).toContainText('₭');
    await expect(sheet(memberPage)).not.toContainText(/บาท|฿/);
  });
});
