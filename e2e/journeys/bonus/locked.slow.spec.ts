import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { walletOf } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { earnCoins, openWheel, winCoupons } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** So many that a prize of money comes among their spins, but for once in a million times. */
const COINS = 100;
const baht = (amount: number): string => `฿${amount.toLocaleString('en', { minimumFractionDigits: 2 })}`;

const withdrawable = (page: Page) => page.locator('[data-part=withdrawable]');

test.describe('a prize that locks the wallet', () => {
  test('says so before it is claimed, on the home page and at a deposit, and the refused withdrawal leads to where it is given back', async ({
    memberPage: page,
    member,
  }) => {
    await earnCoins(member, COINS);
    const [coupon] = await winCoupons(member, 1, ({ prize }) => prize.kind === 'MONEY');
    if (!coupon) throw new Error('a prize was won');
    const own = (await walletOf(member)).wallet.amount;

    await openHome(page);
    await expect(withdrawable(page)).toHaveText(baht(own));
    await openWheel(page);
    await page
      .getByRole('button', { name: `${say('spinwheel:claim')} · ${coupon.prize.slice.label}` })
      .first()
      .click();
    const asked = dialog(page, say('spinwheel:claimTitle'));
    await expect(asked).toContainText(say('spinwheel:locks.all', { total: baht(own) }));
    await expect(asked).toContainText(baht(coupon.amount));
    await expect(asked).toContainText(say('spinwheel:locks.giveBack'));
    await expect(asked).not.toContainText(say('spinwheel:goesTo.wallet', { amount: baht(coupon.amount) }));
    await button(asked, say('spinwheel:claimConfirm')).click();
    const done = dialog(page, say('spinwheel:claimedTitle'));
    await expect(done.getByRole('link', { name: say('spinwheel:seeCondition') })).toBeVisible();

    await openHome(page);
    await expect(withdrawable(page)).toHaveText(baht(0));
    await expect(
      page.getByRole('link', { name: new RegExp(`^${say('parts:condition.kind.COUPON')} \\d+%$`) }),
    ).toBeVisible();
    await button(page, say('home:deposit')).click();
    const deposit = dialog(page, say('deposit:title'));
    await expect(deposit).toContainText(say('deposit:locked', { name: coupon.prize.name }));
    await page.keyboard.press('Escape');

    await button(page, say('home:withdraw')).click();
    const sheet = dialog(page, say('withdraw:title'));
    await sheet.getByLabel(say('withdraw:amount')).fill('500');
    await button(sheet, say('withdraw:submit')).click();
    await dialog(page, say('withdraw:failureTitle'))
      .getByRole('link', { name: say('withdraw:toBonuses') })
      .click();
    await page.getByRole('button', { name: `${say('bonus:giveBack.open')} · ${coupon.prize.name}` }).click();
    const sure = dialog(page, say('bonus:giveBack.title'));
    await expect(sure).toContainText(baht(coupon.amount));
    await expect(sure).toContainText(baht(own));
    await button(sure, say('bonus:giveBack.confirm')).click();
    await expect(
      page.getByText(say('bonus:giveBack.done', { takenBack: baht(coupon.amount), kept: baht(own) })),
    ).toBeVisible();
    await openHome(page);
    await expect(withdrawable(page)).toHaveText(baht(own));
    await expect(page.getByRole('link', { name: new RegExp(say('parts:condition.kind.COUPON')) })).toHaveCount(0);
  });
});
