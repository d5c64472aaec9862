import type { Locator } from '@playwright/test';
import { openDepositSheet } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, depositMethodButtons } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const question = (sheet: Locator): Locator => sheet.getByLabel(translate('deposit:advice.howMuch'));
const payByQr = (amount: string): string => translate('deposit:advice.payAmountByQr', { amount });

for (const size of [
  { width: 390, height: 844 },
  { width: 844, height: 390 },
  { width: 1280, height: 800 },
])
  test(`the deposit asks for one amount, which every method uses, with one main button [R-WALLET-01] at ${size.width}`, async ({
    memberPage: page,
  }) => {
    const isWide = size.width > 400;
    await page.setViewportSize(size);
    await page.route('**/api/deposit/advice', (route) => route.abort());
    await openHome(page);
    const sheet = await openDepositSheet(page);
    const fields = sheet.getByRole('textbox');
    const mainButtons = sheet.locator('button.bg-lacquer, button.bg-gold');
    await question(sheet).fill('150');
    await expect(fields).toHaveCount(1);
    await expect(mainButtons).toHaveCount(1);
    const listed = (kind: 'qr' | 'bank', name: string) =>
      depositMethodButtons(sheet, translate, kind).filter({ hasText: name });
    if (isWide) {
      await expect(listed('qr', 'ธนาคารกสิกรไทย')).toHaveAttribute('aria-current', 'true');
      await expect(sheet.getByText('฿150.00', { exact: true })).toBeVisible();
      await page.screenshot({ path: test.info().outputPath('recommended.png') });
    }
    await listed('qr', 'QR พร้อมเพย์ 2').click();
    await expect(sheet.getByLabel(translate('deposit:amount'))).toHaveValue('150');
    await expect(fields).toHaveCount(1);
    await expect(mainButtons).toHaveCount(1);
    await sheet.getByLabel(translate('deposit:amount')).fill('160.5');
    const back = isWide
      ? sheet.getByRole('button', { name: payByQr('฿160.50') })
      : buttonByName(sheet, translate('deposit:otherWays'));
    if (isWide) await page.screenshot({ path: test.info().outputPath('chosen.png') });
    else await back.click();
    await listed('bank', 'ธนาคารไทยพาณิชย์').click();
    await expect(sheet.getByLabel(translate('deposit:announcementAmount'))).toHaveValue('160.5');
    await expect(sheet.getByRole('definition').filter({ hasText: '฿160.50' })).toBeVisible();
    await expect(fields).toHaveCount(1);
    await back.click();
    await expect(question(sheet)).toHaveValue('160.5');
    await expect(fields).toHaveCount(1);
    await expect(sheet.getByRole('button', { name: payByQr('฿160.50') })).toHaveCount(1);
  });
