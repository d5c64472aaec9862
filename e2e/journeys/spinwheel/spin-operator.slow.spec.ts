import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import {
  spinButtonName,
  earnWheelCoins,
  openWheel,
  publishSingleSlice,
  runWheelCommand,
  runWheelCommandChecked,
  readWheelSetup,
  spinButton,
  spinOnPage,
  readSliceUnderPointer,
} from '../../support/wheel.ts';

const translate = translatorFor('th');
/** A separate system whose operator publishes and retires wheels. */
test.describe('an operator who changes the wheel', () => {
  const system = useSeparateSystem();

  /** The current version; undefined when the wheel is closed. */
  const readCurrentVersion = (): string | undefined => {
    const { stdout, stderr } = runWheelCommand(system().dataFolder);
    const [, version] = /^version (\d+),/m.exec(stdout) ?? [];
    if (version === undefined && !stderr.includes('There is no wheel')) throw new Error(stderr);
    return version;
  };
  const claimNewest = async (page: Page): Promise<void> => {
    await page.getByRole('table').getByRole('button').first().click();
    await buttonByName(
      dialogByName(page, translate('spinwheel:claimTitle')),
      translate('spinwheel:claimConfirm'),
    ).click();
  };
  const closeDialog = async (page: Page): Promise<void> => {
    await page
      .getByRole('dialog')
      .getByRole('button', { name: translate('spinwheel:prizeClose') })
      .click();
    await expect(page.getByRole('dialog')).toHaveCount(0);
  };

  test('a wheel changed while it is displayed is used by the next spin; a won bonus starts, a second one waits for its end [R-SPIN-02] [R-SPIN-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 2);
    await openWheel(page);
    publishSingleSlice(system().dataFolder, 'COIN-1', { kind: 'BONUS', bonus: 'WHEEL' });
    const { code } = await spinOnPage(page, translate);
    expect(code).toMatch(/^COIN-1-[ABC]$/);
    const { sliceList } = (await readWheelSetup(member)).activeSpinwheel;
    expect((await readSliceUnderPointer(page, sliceList)).code).toBe(code);
    await closeDialog(page);
    await expect(page.getByRole('list', { name: translate('spinwheel:odds') }).getByText('33.33%')).toHaveCount(3);
    await spinOnPage(page, translate);
    await closeDialog(page);
    await expect(page.getByRole('table').getByRole('button')).toHaveCount(2);
    await page.getByRole('table').getByRole('button').first().click();
    const claimDialog = dialogByName(page, translate('spinwheel:claimTitle'));
    await expect(claimDialog).toContainText(translate('spinwheel:goesToLocked', { amount: '฿100.00' }));
    await page.keyboard.press('Escape');
    await expect(claimDialog).toHaveCount(0);
    await claimNewest(page);
    const successDialog = dialogByName(page, translate('spinwheel:claimedTitle'));
    await expect(successDialog).toContainText(translate('spinwheel:wentTo.bonus'));
    await buttonByName(successDialog, translate('common:ok')).click();
    await expect(page.getByRole('table').getByRole('button')).toHaveCount(1);
    await claimNewest(page);
    const failureDialog = dialogByName(page, translate('spinwheel:claimFailed'));
    await expect(failureDialog).toContainText(translate('spinwheel:error.BONUS_ALREADY_ACTIVE'));
    await buttonByName(failureDialog, translate('common:ok')).click();
  });

  test('a winner of goods is sent to support for the hand-over [R-SPIN-03]', async ({ memberPage: page, member }) => {
    await earnWheelCoins(member, 1);
    publishSingleSlice(system().dataFolder, 'GOODS-BAG');
    await openWheel(page);
    const { label } = await spinOnPage(page, translate);
    await expect(page.getByRole('dialog')).toContainText(translate('spinwheel:prizeGoods'));
    await closeDialog(page);
    const table = page.getByRole('table', { name: translate('spinwheel:coupons') });
    await table.getByRole('button', { name: `${translate('spinwheel:claim')} · ${label}` }).click();
    const goodsDialog = dialogByName(page, translate('spinwheel:goodsTitle'));
    await expect(goodsDialog).toContainText(label);
    await buttonByName(goodsDialog, translate('spinwheel:contact')).click();
    await expect(page).toHaveURL(/\/user\/contact$/);
  });

  test('a removed wheel is shown as closed and keeps the coins, and home shows refresh in its place [R-SPIN-01] [R-HOME-03]', async ({
    memberPage: page,
    member,
  }) => {
    await earnWheelCoins(member, 4);
    await openWheel(page);
    await expect(spinButton(page, translate)).toHaveAccessibleName(spinButtonName(translate, 4));
    // Each retired version makes the previous one current, if there is one.
    for (let version = readCurrentVersion(); version !== undefined; version = readCurrentVersion())
      runWheelCommandChecked(system().dataFolder, 'retire', version, 'tester', 'for the journey');
    await spinButton(page, translate).click();
    await expect(page.getByText(translate('spinwheel:closed'))).toBeVisible();
    await expect(page.getByRole('definition').first()).toHaveText('4');
    await openHome(page);
    await expect(buttonByName(page, translate('home:refreshAll'))).toBeVisible();
  });
});
