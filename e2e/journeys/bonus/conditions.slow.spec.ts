import type { Locator, Page } from '@playwright/test';
import { expectAccessibleInAllColours } from '../../support/accessible.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { type Coupon, earnWheelCoins, openWheel, publishLockingPrize, winCouponsByApi } from '../../support/wheel.ts';

const translate = translatorFor('th');

async function claimCoupon(member: Member, { _id }: Coupon): Promise<void> {
  const { body } = await api<{ success: boolean }>('POST', '/api/spinwheel/coupon/claim', {
    token: member.token,
    body: { coupon: _id },
  });
  expect(body).toMatchObject({ success: true });
}

const listedConditions = (page: Page): Locator =>
  page
    .getByRole('main')
    .locator('section')
    .filter({ hasText: translate('bonus:others') })
    .getByRole('listitem');
const NOW_TEXT = translate('parts:condition.turn.now');
const NEXT_TEXT = translate('parts:condition.turn.next');

// The seeded prizes have no condition, so one separate system, whose prizes have one, runs all these tests.
const system = useSeparateSystem();

test.beforeAll(() => publishLockingPrize(system().dataFolder));

test.describe('several conditions', () => {
  test('play counts for the oldest of several conditions, which is marked; after a loss ends it, the next becomes active [R-BON-06]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 2);
    // The list begins with the prize that was won last.
    const [second, first] = await winCouponsByApi(member, 2);
    if (!first || !second) throw new Error('two prizes were won');
    await claimCoupon(member, first);
    await openWheel(page);
    const label = `${translate('spinwheel:claim')} · ${second.prize.slice.label}`;
    await buttonByName(page, label).first().click();
    const claimDialog = dialogByName(page, translate('spinwheel:claimTitle'));
    await expect(claimDialog).toContainText(translate('spinwheel:locks.waits'));
    await buttonByName(claimDialog, translate('spinwheel:claimConfirm')).click();
    await expect(dialogByName(page, translate('spinwheel:claimedTitle'))).toBeVisible();

    await page.goto('/user/bonus');
    await expect(listedConditions(page)).toHaveCount(2);
    await expect(listedConditions(page).nth(0)).toContainText(first.prize.name);
    await expect(listedConditions(page).nth(0)).toContainText(NOW_TEXT);
    await expect(listedConditions(page).nth(1)).toContainText(second.prize.name);
    await expect(listedConditions(page).nth(1)).toContainText(NEXT_TEXT);
    await expect(listedConditions(page).nth(1)).toContainText(translate('parts:condition.turn.nextHint'));

    for (const language of ['la', 'en', 'th'] as const) {
      await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
      await page.reload();
      await expect(page.getByText(translatorFor(language)('parts:condition.turn.nextHint'))).toBeVisible();
      await expectAccessibleInAllColours(page, `conditions in ${language}`);
    }

    await openHome(page);
    const chipText = translate('home:openConditionsLeft', { number: 2, amount: '฿[\\d,]+\\.\\d\\d' });
    await expect(page.getByRole('link', { name: new RegExp(`^${chipText}$`) })).toBeVisible();
    await buttonByName(page, translate('home:withdraw')).click();
    const sheet = dialogByName(page, translate('withdraw:title'));
    await expect(sheet.getByText(NOW_TEXT)).toHaveCount(1);
    await expect(sheet.getByText(NEXT_TEXT)).toHaveCount(1);
    await expectAccessibleInAllColours(page, 'conditions of a withdrawal');
    await page.keyboard.press('Escape');

    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', Math.min(1_000, (await readWallet(member)).wallet.amount));
    await playRound('pg', username, first.amount * 0.9, 0);
    await page.goto('/user/bonus');
    await expect(listedConditions(page)).toHaveCount(1);
    await expect(listedConditions(page)).toContainText(second.prize.name);
    // Only this condition remains, and none of that loss counts for it.
    await expect(listedConditions(page)).toContainText(
      translate('parts:condition.missing', { amount: `฿${second.amount.toFixed(2)}` }),
    );
    await expect(listedConditions(page).getByText(NEXT_TEXT)).toHaveCount(0);
    await expect(listedConditions(page).getByText(NOW_TEXT)).toHaveCount(0);
  });
});

const formatBaht = (amount: number): string => `฿${amount.toLocaleString('en', { minimumFractionDigits: 2 })}`;

const withdrawableText = (page: Page) => page.locator('[data-part=withdrawable]');

test.describe('a prize that locks the wallet', () => {
  test('a prize that locks the wallet says so before the claim, and the closed withdrawal leads to giving it back', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 1);
    const [coupon] = await winCouponsByApi(member, 1);
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
