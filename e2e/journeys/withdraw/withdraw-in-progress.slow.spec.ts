import type { Page } from '@playwright/test';
import { api, type Member } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { joinedLine, openHome } from '../../support/home.ts';
import { clearFaults, endPayout, holdPayouts, setFault } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PATIENCE = { timeout: 45_000 };

const openOf = async (member: Member) =>
  (
    await api<{ withdrawal: { reference: string; state: string } | null }>('GET', '/api/wallet', {
      token: member.token,
    })
  ).body.withdrawal;

async function ask(page: Page, amount: string): Promise<void> {
  await button(page, say('home:withdraw')).click();
  const sheet = dialog(page, say('withdraw:title'));
  await sheet.getByLabel(say('withdraw:amount')).fill(amount);
  await button(sheet, say('withdraw:submit')).click();
  await expect(dialog(page, say('withdraw:successTitle'))).toBeVisible(PATIENCE);
}

test.describe('a withdrawal that the bank works on', () => {
  test.beforeEach(async ({ memberPage, member }) => {
    test.setTimeout(120_000);
    await holdPayouts(true);
    await fund(member, 500);
    const joined = joinedLine(memberPage);
    await openHome(memberPage);
    await joined;
  });
  test.afterEach(async () => {
    await holdPayouts(false);
    await clearFaults();
  });

  for (const outcome of ['PAID', 'FAILED'] as const) {
    test(`is shown as under way with its state, and told when it is ${outcome} [R-WDR-01]`, async ({
      memberPage: page,
      member,
    }) => {
      await ask(page, '200');
      await button(dialog(page, say('withdraw:successTitle')), say('common:ok')).click();
      const home = page.getByRole('region', { name: say('home:total') });
      const held = home.locator('dl > div').filter({ hasText: say('home:withdrawing') });
      await expect(held.getByRole('definition')).toHaveText('200.00');
      await button(page, say('home:withdrawing')).click();
      const underWay = dialog(page, say('withdraw:underWay'));
      await expect(underWay).toContainText('฿200.00');
      await expect(underWay.locator('[data-state]')).toHaveText(say('withdraw:state.ACCEPTED'), PATIENCE);
      await expect.poll(async () => (await openOf(member))?.state, PATIENCE).toBe('ACCEPTED');
      const { reference = '' } = (await openOf(member)) ?? {};
      await expect(underWay).toContainText(reference);
      await expect(underWay.getByLabel(say('withdraw:amount'))).toHaveCount(0);
      // In an open dialog it is shown there; elsewhere on the page.
      if (outcome === 'PAID') {
        await button(underWay, say('common:close')).last().click();
        // Said for four seconds only: looked for from before it comes.
        await Promise.all([
          expect(page.getByText(say('parts:moneyNews.withdrawPaid', { amount: '฿200.00' }))).toBeVisible(PATIENCE),
          endPayout(reference, outcome),
        ]);
      } else {
        await endPayout(reference, outcome, 'receiver_bank_rejected');
        const failed = dialog(page, say('withdraw:failureTitle'));
        await expect(failed).toContainText(say('parts:withdrawReason.RECEIVER_REFUSED'), PATIENCE);
        await expect(underWay).toHaveCount(0);
        await expect(page.locator('[data-toast]')).toHaveCount(0);
        await button(failed, say('common:ok')).click();
      }
      await expect(held).toHaveCount(0);
      expect((await walletOf(member)).wallet.amount).toBe(outcome === 'PAID' ? 300 : 500);
    });
  }

  test('money that a game does not release stays there, and the member sees which game and why', async ({
    memberPage: page,
    member,
  }) => {
    for (const [game, amount] of [
      ['pg', 120],
      ['imi', 80],
    ] as const) {
      await openGame(member, game);
      await transfer(member, 'WALLET', game, amount);
    }
    await page.reload();
    await expect(button(page, say('home:checkBalance'))).not.toHaveAttribute('aria-busy');
    await setFault({ target: 'game:pg', fault: 'decline', call: 'TransferOut', times: 20 });
    // 50 more than the wallet has: the larger game is tried first.
    await ask(page, '350');
    const success = dialog(page, say('withdraw:successTitle'));
    await expect(success).toContainText(say('withdraw:notBrought'));
    await expect(success.getByRole('listitem')).toContainText(['PG SLOT']);
    await clearFaults();
    const { wallet, slots } = await walletOf(member);
    const inGame = (game: string) => slots.find(({ code }) => code === game)?.amount;
    expect([wallet.amount, inGame('pg'), inGame('imi')]).toEqual([0, 120, 30]);
  });
});
