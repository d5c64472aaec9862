import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { earnWheelCoins, openWheel, winCouponsByApi } from '../../support/wheel.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');
/** Enough spins for one money prize: the probability of none is 1e-6. */
const COIN_COUNT = 100;
const formatBaht = (amount: number): string => `฿${amount.toLocaleString('en', { minimumFractionDigits: 2 })}`;

const withdrawableText = (page: Page) => page.locator('[data-part=withdrawable]');

test.describe('a prize that locks the wallet', () => {
  test('says so before it is claimed, on the home page and at a deposit, and the closed withdrawal leads to where it is given back', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, COIN_COUNT);
    const [coupon] = await winCouponsByApi(member, 1, ({ prize }) => prize.kind === 'MONEY');
    if (!coupon) throw new Error('a prize was won');
    const ownAmount = (await readWallet(member)).wallet.amount;

    await openHome(page);
    await expect(withdrawableText(page)).toHaveText(formatBaht(ownAmount));
    await openWheel(page);
    await page
      .getByRole('button', { name: `${translate('spinwheel:claim')} · ${coupon.prize.slice.label}` })
      .first()
      .click();
    const confirmDialog = dialogByName(page, translate('spinwheel:claimTitle'));
    await expect(confirmDialog).toContainText(translate('spinwheel:locks.all', { total: formatBaht(ownAmount) }));
    await expect(confirmDialog).toContainText(formatBaht(coupon.amount));
    await expect(confirmDialog).toContainText(translate('spinwheel:locks.giveBack'));
    await expect(confirmDialog).not.toContainText(translate('spinwheel:locks.waits'));
    await expect(confirmDialog).not.toContainText(
      translate('spinwheel:goesTo.wallet', { amount: formatBaht(coupon.amount) }),
    );
    await buttonByName(confirmDialog, translate('spinwheel:claimConfirm')).click();
    const successDialog = dialogByName(page, translate('spinwheel:claimedTitle'));
    await expect(successDialog.getByRole('link', { name: translate('spinwheel:seeCondition') })).toBeVisible();

    await openHome(page);
    await expect(withdrawableText(page)).toHaveText(formatBaht(0));
    const missing = { kind: translate('parts:condition.kind.COUPON'), amount: '฿[\\d,]+\\.\\d\\d' };
    await expect(
      page.getByRole('link', { name: new RegExp(`^${translate('home:openConditionLeft', missing)}$`) }),
    ).toBeVisible();
    await buttonByName(page, translate('home:deposit')).click();
    const deposit = dialogByName(page, translate('deposit:title'));
    await expect(deposit).toContainText(translate('deposit:locked', { name: coupon.prize.name }));
    await page.keyboard.press('Escape');

    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await expect(buttonByName(sheet, translate('withdraw:submit'))).toBeDisabled();
    await sheet.getByRole('link', { name: translate('withdraw:toBonuses') }).click();
    await page.getByRole('button', { name: `${translate('bonus:giveBack.open')} · ${coupon.prize.name}` }).click();
    const sure = dialogByName(page, translate('bonus:giveBack.title'));
    await expect(sure).toContainText(formatBaht(coupon.amount));
    await expect(sure).toContainText(formatBaht(ownAmount));
    await buttonByName(sure, translate('bonus:giveBack.confirm')).click();
    await expect(
      page.getByText(
        translate('bonus:giveBack.done', { takenBack: formatBaht(coupon.amount), kept: formatBaht(ownAmount) }),
      ),
    ).toBeVisible();
    await openHome(page);
    await expect(withdrawableText(page)).toHaveText(formatBaht(ownAmount));
    await expect(page.getByRole('link', { name: new RegExp(translate('parts:condition.kind.COUPON')) })).toHaveCount(0);
  });
});
