import type { Page } from '@playwright/test';
import { waitForEventSocketJoin, openHome, blockEventSocket } from '../../support/home.ts';
import { newAccountNo, newMember } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, sendWithdrawal } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const withdrawSheet = (page: Page) => dialogByName(page, translate('withdraw:title'));
const amountField = (page: Page) => withdrawSheet(page).getByLabel(translate('withdraw:amount'));
const reviewWithdrawal = (page: Page) => buttonByName(withdrawSheet(page), translate('withdraw:submit')).click();
const submitWithdrawal = (page: Page) => sendWithdrawal(withdrawSheet(page), translate);
const SETTLE_TIMEOUT = { timeout: 30_000 };
/** The bank has closed the accounts whose numbers start with these digits. */
const CLOSED_ACCOUNT_END = '998';

/** Hides the outcome of a withdrawal from the app, because the bank of these tests pays within a second. */
const hideOutcome = (page: Page) => page.route('**/api/statement', (route) => route.abort());

async function openSheet(page: Page): Promise<void> {
  await page.reload();
  await buttonByName(page, translate('home:withdraw')).click();
  await expect(amountField(page)).toBeVisible();
}

test.describe('withdraw', () => {
  test('the withdrawal shows bonus conditions, enforces both limits, and uses wallet money without moving game money [R-WDR-01] [R-HOME-07]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 500);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 200);
    await openHome(memberPage);
    // Blocks events, which would reload the wallet too.
    await blockEventSocket(memberPage);
    await openSheet(memberPage);
    const notice = withdrawSheet(memberPage).getByRole('region', { name: translate('withdraw:conditions') });
    // The notice of the operator names the percentage of a bonus, which this member does not have.
    await expect(notice).toContainText('ถ้ากำลังใช้โบนัสอยู่ ต้องทำยอดให้ครบเงื่อนไขก่อนจึงจะถอนได้');
    await expect(notice).not.toContainText(/เปอร์เซ็นต์|%|{{/);
    const account = withdrawSheet(memberPage).getByRole('region', { name: translate('withdraw:goesTo') });
    await expect(account).toContainText(member.bankAccountNo.replace(/^(...)(...)/, '$1-$2-'));
    await expect(account).toContainText('SOMYING THOTSOP');
    await expect(withdrawSheet(memberPage)).toContainText(translate('withdraw:sweepsToWallet', { amount: '฿200.00' }));

    const alertMessage = withdrawSheet(memberPage).getByRole('alert');
    for (const [typedText, expectedText] of [
      ['', translate('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['99.99', translate('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['50000.01', translate('withdraw:maximumAmount', { amount: '฿50,000.00' })],
      ['500.01', translate('withdraw:notEnough', { amount: '฿500.00' })],
    ] as const) {
      await amountField(memberPage).fill(typedText);
      await reviewWithdrawal(memberPage);
      await expect(alertMessage).toHaveText(expectedText);
    }
    await buttonByName(withdrawSheet(memberPage), translate('withdraw:all')).click();
    await expect(amountField(memberPage)).toHaveValue('500');
    await amountField(memberPage).fill('150.25');

    await hideOutcome(memberPage);
    const withdrawRequest = memberPage.waitForRequest('**/api/wallet/withdrawAll');
    await submitWithdrawal(memberPage);
    expect((await withdrawRequest).postDataJSON()).toEqual({ amount: 150.25 });
    expect(await (await withdrawRequest).headerValue('idempotency-key')).toBeTruthy();
    const successDialog = dialogByName(memberPage, translate('withdraw:successTitle'));
    await expect(successDialog).toContainText('กรุณารอเงินโอนเข้าบัญชี');
    await expect(successDialog).toContainText('฿150.25');
    const walletReload = memberPage.waitForRequest((request) => new URL(request.url()).pathname === '/api/wallet');
    await buttonByName(successDialog, translate('common:ok')).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await walletReload;
    await expect(memberPage.locator('.fit-amount')).toHaveText('349.75');
    // This page receives no event about the payment.
    await expect
      .poll(async () => {
        const { wallet, slots, withdrawal } = await readWallet(member);
        return [wallet.amount, slots.find(({ code }) => code === 'pg')?.amount, withdrawal];
      }, SETTLE_TIMEOUT)
      .toEqual([149.75, 200, null]);
    await memberPage.unroute('**/api/statement');
    await memberPage.goto('/user/statement');
    const row = memberPage.getByRole('listitem').first();
    await expect(row).toContainText(translate('statement:withdraw', { to: 'SCB' }));
    await expect(row).toContainText('−150.25');
    await expect(row.locator('[data-status=SUCCESS]')).toBeVisible();
  });

  test('while a withdrawal waits for its reply the dialog shows what was confirmed', async ({ memberPage, member }) => {
    await fundWallet(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    // The outcome replaces the sheet, also while a question is open.
    await hideOutcome(memberPage);
    await amountField(memberPage).fill('200');
    const withdrawRelease = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/withdrawAll', async (route) => {
      const response = await route.fetch();
      await withdrawRelease.promise;
      await route.fulfill({ response });
    });
    await submitWithdrawal(memberPage);
    await expect(memberPage.locator('.fit-amount')).toHaveText('100.00', SETTLE_TIMEOUT);
    const review = withdrawSheet(memberPage).getByRole('region', { name: translate('withdraw:review.title') });
    await expect(review.getByRole('definition').last()).toHaveText('฿100.00');
    await expect(review.getByRole('alert')).toHaveText('');
    withdrawRelease.resolve();
    await expect(memberPage.getByRole('dialog').last()).toContainText('฿200.00');
  });
});

test.describe('outcomes of a withdrawal', () => {
  test('a sent withdrawal shows automatically that it is paid', async ({ memberPage, member }) => {
    await fundWallet(member, 300);
    const socketJoined = waitForEventSocketJoin(memberPage);
    await openHome(memberPage);
    await socketJoined;
    await buttonByName(memberPage, translate('home:withdraw')).click();
    await amountField(memberPage).fill('120');
    await submitWithdrawal(memberPage);
    const paidDialog = dialogByName(memberPage, translate('withdraw:paidTitle'));
    await expect(paidDialog).toBeVisible(SETTLE_TIMEOUT);
    await expect(paidDialog).toContainText(/ธนาคารของเราโอน ฿120\.00 เข้าบัญชี .* จะเห็นในบัญชีของคุณ/);
    await expect(memberPage.getByRole('dialog')).toHaveCount(1);
    await expect(memberPage.getByText(translate('money:moneyNews.withdrawPaid', { amount: '฿120.00' }))).toHaveCount(0);
    await buttonByName(paidDialog, translate('common:ok')).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    expect((await readWallet(member)).wallet.amount).toBe(180);
  });

  test('a withdrawal that the bank refuses is refunded with the reason, also without events, and in the statement', async ({
    page,
  }) => {
    const member = await newMember({ bankAccountNo: `${CLOSED_ACCOUNT_END}${newAccountNo().slice(3)}` });
    await signIn(page, member);
    await fundWallet(member, 300);
    await page.route('**/socket.io/**', (route) => route.abort());
    await page.routeWebSocket('**/socket.io/**', (socket) => socket.close());
    await openHome(page);
    await openSheet(page);
    await amountField(page).fill('200');
    await submitWithdrawal(page);
    const reason = translate('parts:withdrawReason.ACCOUNT_CLOSED');
    const failureDialog = dialogByName(page, translate('withdraw:failureTitle'));
    await expect(failureDialog).toContainText(reason, SETTLE_TIMEOUT);
    await expect(failureDialog).toContainText(translate('withdraw:cameBack', { amount: '฿200.00' }));
    await expect.poll(async () => (await readWallet(member)).wallet.amount, SETTLE_TIMEOUT).toBe(300);
    await page.goto('/user/statement');
    const row = page.getByRole('listitem').first();
    await expect(row.locator('[data-status=FAILED]')).toBeVisible();
    await expect(row).toContainText(translate('statement:withdrawFailed', { reason }));
    await expect(row).toContainText('200.00');
  });

  test('a withdrawal that the server refuses shows the reason in a modal, and no money is taken [R-WDR-01]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    const failureDialog = dialogByName(memberPage, translate('withdraw:failureTitle'));
    for (const [sentReply, expectedText] of [
      [40_000, translate('errors:errorMsg.MONEY_NOT_ENOUGH')],
      [1, translate('withdraw:minimumAmount', { amount: '฿100.00' })],
      [50_001, translate('withdraw:maximumAmount', { amount: '฿50,000.00' })],
    ] as const) {
      await memberPage.route(
        '**/api/wallet/withdrawAll',
        (route) => route.continue({ postData: { amount: sentReply } }),
        {
          times: 1,
        },
      );
      await amountField(memberPage).fill('100');
      await submitWithdrawal(memberPage);
      await expect(failureDialog).toContainText(expectedText);
      await expect(failureDialog).toContainText(translate('withdraw:failureMoney'));
      await buttonByName(failureDialog, translate('common:ok')).click();
      await expect(amountField(memberPage)).toHaveValue('100');
    }
    expect((await readWallet(member)).wallet.amount).toBe(300);
  });

  test('a withdrawal with a lost reply is retried with the same key, and is paid once', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 300);
    await openHome(memberPage);
    await openSheet(memberPage);
    const keys: (string | null)[] = [];
    await memberPage.route('**/api/wallet/withdrawAll', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      if (keys.length === 1) await route.abort();
      else await route.fulfill({ response });
    });
    await hideOutcome(memberPage);
    await amountField(memberPage).fill('100');
    await submitWithdrawal(memberPage);
    await buttonByName(
      dialogByName(memberPage, translate('withdraw:unknownTitle')),
      translate('withdraw:tryAgain'),
    ).click();
    await expect(dialogByName(memberPage, translate('withdraw:successTitle'))).toBeVisible();
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).toBe(keys[0]);
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });

  test('a member with kip sees amounts in kip', async ({ memberPage, member }) => {
    await fundWallet(member, 300);
    await memberPage.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      const body = (await response.json()) as { profile: object };
      await route.fulfill({ response, json: { ...body, profile: { ...body.profile, currency: 'LAK' } } });
    });
    await openHome(memberPage);
    await openSheet(memberPage);
    await amountField(memberPage).fill('1234.5');
    await expect(withdrawSheet(memberPage).getByRole('alert')).toHaveText(translate('common:amountFault.fraction'));
    await amountField(memberPage).fill('1.234');
    await expect(amountField(memberPage)).toHaveValue('1,234');
    await expect(withdrawSheet(memberPage).getByRole('alert')).toContainText('₭');
    await expect(withdrawSheet(memberPage)).toContainText('₭');
    await expect(withdrawSheet(memberPage)).not.toContainText(/บาท|฿/);
  });
});

test('a sent and a paid withdrawal link to reference and receipt', async ({ memberPage: page, member }) => {
  await fundWallet(member, 300);
  await openHome(page);
  await openSheet(page);
  await amountField(page).fill('120');
  await submitWithdrawal(page);
  // The bank may have paid already.
  const sent = translate('withdraw:successTitle');
  const paid = translate('withdraw:paidTitle');
  const outcome = dialogByName(page, sent).or(dialogByName(page, paid));
  await buttonByName(outcome, translate('withdraw:details')).click();
  const timeline = dialogByName(page, translate('money:kind.withdraw'));
  await expect(timeline).toContainText('฿120.00');
  await expect(outcome).toHaveCount(0);
  expect((await readWallet(member)).wallet.amount).toBe(180);
  await expect(timeline).toContainText(translate('money:reference'));
  await expect(buttonByName(timeline, translate('money:save'))).toBeVisible();
});
