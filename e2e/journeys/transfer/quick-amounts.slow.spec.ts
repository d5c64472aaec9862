import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const transferSheet = (page: Page) => dialogByName(page, translate('transfer:title'));
const amountField = (page: Page) => transferSheet(page).getByLabel(translate('transfer:amount'));
const quickAmounts = (page: Page) =>
  transferSheet(page)
    .getByRole('group', { name: translate('common:quickAmounts') })
    .getByRole('button');

async function openSheet(page: Page): Promise<void> {
  await openHome(page);
  await buttonByName(page, translate('home:transfer')).click();
  await expect(amountField(page)).toBeVisible();
}

test.describe('chips for the amount of a transfer', () => {
  test('chips of a transfer offer round amounts up to the balance of the source, follow it, and fill the field', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 700);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 120);
    await openSheet(page);
    await expect(quickAmounts(page)).toHaveText(['50', '100', '500']);
    await buttonByName(transferSheet(page), translate('transfer:swap')).click();
    await expect(quickAmounts(page)).toHaveText(['50', '100']);
    await quickAmounts(page).last().click();
    await expect(amountField(page)).toHaveValue('100');
    await expect(quickAmounts(page).last()).toHaveAttribute('aria-pressed', 'true');
    for (const chip of await quickAmounts(page).all())
      expect((await chip.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await buttonByName(transferSheet(page), translate('transfer:submit')).click();
    await expect(dialogByName(page, translate('transfer:successTitle'))).toContainText('฿100.00');
    expect((await readWallet(member)).wallet.amount).toBe(680);
  });

  test('chips of a transfer are hidden without money', async ({ memberPage: page, member }) => {
    await openGameAccount(member, 'pg');
    await openSheet(page);
    await expect(quickAmounts(page)).toHaveCount(0);
  });
});
