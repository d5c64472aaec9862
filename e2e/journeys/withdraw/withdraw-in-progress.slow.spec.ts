import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { waitForEventSocketJoin, openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { countToasts } from '../../support/notices.ts';
import { strip } from '../../support/pending.ts';
import { clearFaults, endPayout, holdPayouts, setFault } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, sendWithdrawal } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const SETTLE_TIMEOUT = { timeout: 45_000 };

const openOf = async (member: Member) =>
  (
    await api<{ withdrawal: { reference: string; state: string } | null }>('GET', '/api/wallet', {
      token: member.token,
    })
  ).body.withdrawal;

/** The reference is shown, and copied by the button beside it. */
async function expectReference(dialog: Locator, reference: string): Promise<void> {
  const row = dialog.getByRole('definition').filter({ hasText: reference });
  await expect(row).toHaveText(reference);
  await buttonByName(row, translate('withdraw:copyReference')).click();
  const copied = dialog.page().locator('[data-toast=success]').last();
  await expect(copied).toContainText(translate('parts:copied', { text: reference }));
}

async function requestWithdrawal(page: Page, amount: string): Promise<void> {
  await buttonByName(page, translate('home:withdraw')).click();
  const sheet = dialogByName(page, translate('withdraw:title'));
  await sheet.getByLabel(translate('withdraw:amount')).fill(amount);
  await sendWithdrawal(sheet, translate);
  await expect(dialogByName(page, translate('withdraw:successTitle'))).toBeVisible(SETTLE_TIMEOUT);
}

/** A member with money on the home page, whose payouts wait. */
function holdEachPayout(): void {
  test.beforeEach(async ({ memberPage, member }) => {
    test.setTimeout(120_000);
    await holdPayouts(true);
    await memberPage.route('**/api/withdraw/advice', (route) =>
      route.fulfill({ json: { medianSeconds: 100, samples: 5, statedMinutes: 15 } }),
    );
    await fundWallet(member, 500);
    const socketJoined = waitForEventSocketJoin(memberPage);
    await openHome(memberPage);
    await socketJoined;
  });
  test.afterEach(async () => {
    await holdPayouts(false);
    await clearFaults();
  });
}

test.describe('a withdrawal that the bank works on', () => {
  holdEachPayout();

  for (const outcome of ['PAID', 'FAILED'] as const) {
    test(`a pending withdrawal is shown with its state, and announced when it is ${outcome} [R-WDR-01]`, async ({
      memberPage: page,
      member,
    }) => {
      await requestWithdrawal(page, '200');
      const successDialog = dialogByName(page, translate('withdraw:successTitle'));
      const { reference = '' } = (await openOf(member)) ?? {};
      await expectReference(successDialog, reference);
      await expect(buttonByName(successDialog, translate('errors:support.ask'))).toBeVisible();
      await expectAccessible(page, 'a requested withdrawal');
      await buttonByName(successDialog, translate('common:ok')).click();
      const totalRegion = page.getByRole('region', { name: translate('home:total') });
      const withdrawingRow = totalRegion.locator('dl > div').filter({ hasText: translate('home:withdrawing') });
      await expect(withdrawingRow.getByRole('definition')).toHaveText('200.00');
      await buttonByName(page, translate('home:withdrawing')).click();
      const underWay = dialogByName(page, translate('withdraw:underWay'));
      await expect(underWay).toContainText('฿200.00');
      await expect(underWay.locator('[data-state]')).toHaveText(translate('withdraw:state.ACCEPTED'), SETTLE_TIMEOUT);
      await expect.poll(async () => (await openOf(member))?.state, SETTLE_TIMEOUT).toBe('ACCEPTED');
      await expectReference(underWay, reference);
      await expect(buttonByName(underWay, translate('errors:support.ask'))).toBeVisible();
      await expect(underWay).toContainText(translate('money:usualTime.minutes', { minutes: 2 }));
      await expectAccessible(page, 'a pending withdrawal');
      await expect(underWay.getByLabel(translate('withdraw:amount'))).toHaveCount(0);
      // An open dialog shows the outcome; otherwise the page shows it.
      if (outcome === 'PAID') {
        await buttonByName(underWay, translate('common:close')).last().click();
        const strips = strip(page, translate);
        await expect(strips).toContainText(translate('money:strip.withdraw', { amount: '฿200.00' }));
        const toastCount = await countToasts(page);
        // The text is shown for only six seconds, so the wait starts before it appears.
        await Promise.all([
          expect(strips.locator('[data-end=good]')).toContainText(
            translate('money:ended.withdraw', { amount: '฿200.00' }),
            SETTLE_TIMEOUT,
          ),
          endPayout(reference, outcome),
        ]);
        expect(await toastCount()).toBe(0);
      } else {
        await endPayout(reference, outcome, 'receiver_bank_rejected');
        const failureDialog = dialogByName(page, translate('withdraw:failureTitle'));
        await expect(failureDialog).toContainText(translate('parts:withdrawReason.RECEIVER_REFUSED'), SETTLE_TIMEOUT);
        await expect(underWay).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await buttonByName(failureDialog, translate('common:ok')).click();
      }
      await expect(withdrawingRow).toHaveCount(0);
      expect((await readWallet(member)).wallet.amount).toBe(outcome === 'PAID' ? 300 : 500);
    });
  }

  test('a payout that completes while its timeline is open updates it, without a toast [R-WDR-01]', async ({
    memberPage: page,
    member,
  }) => {
    await requestWithdrawal(page, '200');
    const { reference = '' } = (await openOf(member)) ?? {};
    const socketJoined = waitForEventSocketJoin(page);
    await page.goto('/user/statement');
    await socketJoined;
    await page.getByRole('main').getByRole('listitem').first().getByRole('button').click();
    const timeline = dialogByName(page, translate('money:kind.withdraw'));
    await expect(timeline.getByText(translate('parts:status.PROCESSING'))).toBeVisible();
    await expect.poll(async () => (await openOf(member))?.state, SETTLE_TIMEOUT).toBe('ACCEPTED');
    let hasToast = false;
    const watchToasts = page.waitForSelector('[data-toast]', { timeout: 0 }).then(
      () => (hasToast = true),
      () => undefined,
    );
    void watchToasts;
    await endPayout(reference, 'PAID');
    await expect(timeline.getByText(translate('parts:status.SUCCESS'))).toBeVisible(SETTLE_TIMEOUT);
    await buttonByName(timeline, translate('common:close')).click();
    await expect(page.getByRole('main').getByRole('listitem').first()).toContainText(translate('parts:status.SUCCESS'));
    expect(hasToast).toBe(false);
  });

  test('money that a game does not release stays there, and the member sees which game and why', async ({
    memberPage: page,
    member,
  }) => {
    for (const [game, amount] of [
      ['pg', 120],
      ['imi', 80],
    ] as const) {
      await openGameAccount(member, game);
      await transferMoney(member, 'WALLET', game, amount);
    }
    await page.reload();
    await expect(buttonByName(page, translate('home:checkBalance'))).not.toHaveAttribute('aria-busy');
    await setFault({ target: 'game:pg', fault: 'decline', call: 'TransferOut', times: 20 });
    // 50 baht more than the wallet holds: the server tries the larger game first.
    await requestWithdrawal(page, '350');
    const successDialog = dialogByName(page, translate('withdraw:successTitle'));
    await expect(successDialog).toContainText(translate('withdraw:notBrought'));
    await expect(successDialog.getByRole('listitem')).toContainText(['PG SLOT']);
    await clearFaults();
    const { wallet, slots } = await readWallet(member);
    const amountInGame = (game: string) => slots.find(({ code }) => code === game)?.amount;
    expect([wallet.amount, amountInGame('pg'), amountInGame('imi')]).toEqual([0, 120, 30]);
  });
});

test.describe('a withdrawal without an open dialog', () => {
  holdEachPayout();

  test('a withdrawal that the bank refuses is announced once on any page, by the strip, which keeps it [R-WDR-01]', async ({
    memberPage: page,
    member,
  }) => {
    await requestWithdrawal(page, '200');
    const { reference = '' } = (await openOf(member)) ?? {};
    const socketJoined = waitForEventSocketJoin(page);
    await page.goto('/user/statement');
    await socketJoined;
    await expect(strip(page, translate)).toContainText(translate('money:strip.withdraw', { amount: '฿200.00' }));
    const toastCount = await countToasts(page);
    await endPayout(reference, 'FAILED', 'receiver_bank_rejected');
    const refused = strip(page, translate).locator('[data-end=bad]');
    await expect(refused).toContainText(translate('money:failed.withdraw'), SETTLE_TIMEOUT);
    await expect.poll(async () => (await readWallet(member)).wallet.amount).toBe(500);
    // Longer than a toast.
    await page.waitForTimeout(5_000);
    await expect(refused).toHaveCount(1);
    expect(await toastCount()).toBe(0);
  });
});
