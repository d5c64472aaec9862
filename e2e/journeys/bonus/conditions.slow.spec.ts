import type { Locator, Page } from '@playwright/test';
import { faultlessInAllColours } from '../../support/accessible.ts';
import { api, type Member } from '../../support/member.ts';
import { openHome } from '../../support/home.ts';
import { openGame, transfer, walletOf } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { type Coupon, earnCoins, winCoupons } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** So many that two prizes of money come among their spins, but for once in a million times. */
const COINS = 100;

async function claim(member: Member, { _id }: Coupon): Promise<void> {
  const { body } = await api<{ success: boolean }>('POST', '/api/spinwheel/coupon/claim', {
    token: member.token,
    body: { coupon: _id },
  });
  expect(body).toMatchObject({ success: true });
}

const listed = (page: Page): Locator =>
  page
    .getByRole('main')
    .locator('section')
    .filter({ hasText: say('bonus:others') })
    .getByRole('listitem');
const NOW = say('parts:condition.turn.now');
const NEXT = say('parts:condition.turn.next');

test.describe('several conditions', () => {
  test('the oldest is marked as the condition that play counts for, the others wait; a loss ends one, and the next becomes active [R-BON-06]', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, COINS);
    const [first, second] = await winCoupons(member, 2, ({ prize }) => prize.kind === 'MONEY');
    if (!first || !second) throw new Error('two prizes were won');
    await claim(member, first);
    await claim(member, second);

    await page.goto('/user/bonus');
    await expect(listed(page)).toHaveCount(2);
    await expect(listed(page).nth(0)).toContainText(first.prize.name);
    await expect(listed(page).nth(0)).toContainText(NOW);
    await expect(listed(page).nth(1)).toContainText(second.prize.name);
    await expect(listed(page).nth(1)).toContainText(NEXT);
    await expect(listed(page).nth(1)).toContainText(say('parts:condition.turn.nextHint'));

    for (const language of ['la', 'en', 'th'] as const) {
      await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
      await page.reload();
      await expect(page.getByText(speaking(language)('parts:condition.turn.nextHint'))).toBeVisible();
      await faultlessInAllColours(page, `conditions in ${language}`);
    }

    await openHome(page);
    await button(page, say('home:withdraw')).click();
    const sheet = dialog(page, say('withdraw:title'));
    await expect(sheet.getByText(NOW)).toHaveCount(1);
    await expect(sheet.getByText(NEXT)).toHaveCount(1);
    await faultlessInAllColours(page, 'conditions of a withdrawal');
    await page.keyboard.press('Escape');

    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', Math.min(1_000, (await walletOf(member)).wallet.amount));
    await play('pg', username, first.amount * 0.9, 0);
    await page.goto('/user/bonus');
    await expect(listed(page)).toHaveCount(1);
    await expect(listed(page)).toContainText(second.prize.name);
    // It is alone, and nothing of that loss is its own.
    await expect(listed(page)).toContainText(
      say('parts:condition.missing', { amount: `฿${second.amount.toFixed(2)}` }),
    );
    await expect(listed(page).getByText(NEXT)).toHaveCount(0);
    await expect(listed(page).getByText(NOW)).toHaveCount(0);
  });
});
