import type { Page } from '@playwright/test';
import { GAMES } from '../../support/game.ts';
import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { ACCOUNT_HOLDER, groupAccountNo } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const withdrawSheet = (page: Page) => dialogByName(page, translate('withdraw:title'));
const amountField = (page: Page) => withdrawSheet(page).getByLabel(translate('withdraw:amount'));
const review = (page: Page) => withdrawSheet(page).getByRole('region', { name: translate('withdraw:review.title') });
const openReview = (page: Page) => buttonByName(withdrawSheet(page), translate('withdraw:submit')).click();
const confirm = (page: Page) => buttonByName(withdrawSheet(page), translate('withdraw:review.confirm')).click();
const backToForm = (page: Page) => buttonByName(withdrawSheet(page), translate('withdraw:review.back')).click();
const quickAmounts = (page: Page) =>
  withdrawSheet(page)
    .getByRole('group', { name: translate('common:quickAmounts') })
    .getByRole('button');

async function openSheet(page: Page): Promise<void> {
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  await expect(amountField(page)).toBeVisible();
}

test.describe('the review of a withdrawal', () => {
  test('the review of a withdrawal shows amount, account, the parts from wallet and games, and the rest', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 200);
    await openSheet(page);
    await expect(review(page)).toHaveCount(0);
    for (const refusedText of ['99.99', '500.01']) {
      await amountField(page).fill(refusedText);
      await openReview(page);
      await expect(amountField(page)).toBeVisible();
      await expect(review(page)).toHaveCount(0);
    }
    await amountField(page).fill('250');
    await openReview(page);
    await expect(review(page).getByRole('heading')).toBeFocused();
    await expect(review(page)).toContainText('฿250.00');
    await expect(review(page)).toContainText(groupAccountNo(member.bankAccountNo));
    await expect(review(page).getByRole('definition').first()).toContainText(ACCOUNT_HOLDER);
    await expect(review(page).getByRole('definition').nth(1)).toHaveText('฿250.00');
    await expect(review(page)).not.toContainText(translate('withdraw:review.fromGames'));
    // Back keeps the amount.
    await backToForm(page);
    await expect(amountField(page)).toHaveValue('250');
    await openReview(page);
    await page.goBack();
    await expect(amountField(page)).toHaveValue('250');
    await amountField(page).fill('350.5');
    await openReview(page);
    await expect(review(page).getByRole('definition')).toHaveText([
      new RegExp(`${groupAccountNo(member.bankAccountNo)}$`),
      '฿300.00',
      '฿50.50',
      '฿149.50',
    ]);
    // Unchanged while the request is sent, although the balances change.
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/wallet/withdrawAll', async (route) => {
      const response = await route.fetch();
      await released;
      await route.fulfill({ response });
    });
    await page.route('**/api/statement', (route) => route.abort());
    await confirm(page);
    await expect.poll(async () => (await readWallet(member)).wallet.amount).toBeLessThan(300);
    await expect(review(page)).toContainText('฿50.50');
    release();
    const successDialog = dialogByName(page, translate('withdraw:successTitle'));
    await expect(successDialog).toContainText('฿350.50');
  });
});

test.describe('a reviewed withdrawal', () => {
  test('a withdrawal is sent only by confirming its review; each confirmation has a new idempotency key', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 700);
    await openSheet(page);
    const keys: (string | undefined)[] = [];
    await page.route('**/api/wallet/withdrawAll', (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      return route.fulfill({ status: 400, json: { message: 'MONEY_NOT_ENOUGH' } });
    });
    const failureDialog = dialogByName(page, translate('withdraw:failureTitle'));
    await quickAmounts(page).first().click();
    for (const count of [1, 2]) {
      await openReview(page);
      await expect(review(page)).toContainText('฿100.00');
      expect(keys).toHaveLength(count - 1);
      await confirm(page);
      await buttonByName(failureDialog, translate('common:ok')).click();
      await expect(amountField(page)).toHaveValue('100');
      expect(keys).toHaveLength(count);
    }
    expect(keys[0]).toBeTruthy();
    expect(keys[1]).not.toBe(keys[0]);
  });

  test('a review is shown again if its amounts have changed, and the withdrawal is sent after the confirmation', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    await openGameAccount(member, 'pg');
    const socketJoined = waitForEventSocketJoin(page);
    await openSheet(page);
    await socketJoined;
    const sent: unknown[] = [];
    await page.route('**/api/wallet/withdrawAll', (route) => {
      sent.push(route.request().postDataJSON());
      return route.fulfill({ json: { reference: 'W1', status: 'PROCESSING', amount: 400, notBrought: [] } });
    });
    await amountField(page).fill('400');
    await openReview(page);
    // The wallet is reloaded during the transfer too.
    const { promise: reloaded, resolve } = Promise.withResolvers<void>();
    await page.route('**/api/wallet', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response });
      const { wallet, slots } = (await response.json()) as {
        wallet: { amount: number };
        slots: { inProgress: string | null }[];
      };
      if (wallet.amount === 300 && slots.every(({ inProgress }) => inProgress === null)) resolve();
    });
    await transferMoney(member, 'WALLET', 'pg', 200);
    await reloaded;
    await expect(page.locator('main')).toContainText('300.00');
    await expect(review(page).getByRole('definition').nth(1)).toHaveText('฿400.00');
    await confirm(page);
    await expect(review(page).getByRole('alert')).toHaveText(translate('withdraw:review.changed'));
    await expect(review(page).getByRole('heading')).toBeFocused();
    await expect(review(page).getByRole('definition').nth(1)).toHaveText('฿300.00');
    expect(sent).toEqual([]);
    await confirm(page);
    await expect(dialogByName(page, translate('withdraw:successTitle'))).toBeVisible();
    expect(sent).toEqual([{ amount: 400 }]);
  });
});

test.describe('the review of a withdrawal with games', () => {
  test('the review names the games used, largest first, and the usual payout time, or 15 minutes with too few samples [R-WALLET-05]', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    for (const [game, amount] of [
      ['pg', 150],
      ['joker2', 200],
    ] as const) {
      await openGameAccount(member, game);
      await transferMoney(member, 'WALLET', game, amount);
    }
    const statedMinutes = 15;
    let advice: object = { medianSeconds: null, samples: 4, statedMinutes };
    await page.route('**/api/withdraw/advice', (route) => route.fulfill({ json: advice }));
    for (const language of ['th', 'la', 'en'] as const) {
      const words = translatorFor(language);
      await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
      for (const [seconds, usualText] of [
        [null, words('money:usualTime.stated', { minutes: 15 })],
        [41, words('money:usualTime.seconds', { seconds: 41 })],
        [61, words('money:usualTime.minutes', { minutes: 2 })],
      ] as const) {
        advice = { medianSeconds: seconds, samples: seconds === null ? 4 : 5, statedMinutes };
        await openHome(page);
        await buttonByName(page, words('home:withdraw')).click();
        const sheet = dialogByName(page, words('withdraw:title'));
        await sheet.getByLabel(words('withdraw:amount')).fill('380');
        await buttonByName(sheet, words('withdraw:submit')).click();
        const section = sheet.getByRole('region', { name: words('withdraw:review.title') });
        await expect(section).toContainText(`${GAMES.joker2} ฿200.00 · ${GAMES.pg} ฿30.00`);
        await expect(section).toContainText(words('withdraw:review.arrival'));
        await expect(section).toContainText(usualText);
        await buttonByName(sheet, words('withdraw:review.back')).click();
        await sheet.getByLabel(words('withdraw:amount')).fill('200');
        await buttonByName(sheet, words('withdraw:submit')).click();
        await expect(section).toContainText(`${GAMES.joker2} ฿50.00`);
        await expect(section).not.toContainText(GAMES.pg);
      }
    }
  });
});

test.describe('chips for the amount of a withdrawal', () => {
  test('chips of a withdrawal offer round amounts between the minimum and the balance, and fill the field', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 700);
    await openSheet(page);
    await expect(quickAmounts(page)).toHaveText(['100', '500']);
    await quickAmounts(page).last().click();
    await expect(amountField(page)).toHaveValue('500');
    await expect(quickAmounts(page).last()).toHaveAttribute('aria-pressed', 'true');
    for (const chip of await quickAmounts(page).all())
      expect((await chip.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  });

  test('chips of a withdrawal are hidden if the balance is below the minimum', async ({ memberPage: page, member }) => {
    await fundWallet(member, 60);
    await openSheet(page);
    await expect(quickAmounts(page)).toHaveCount(0);
  });
});
