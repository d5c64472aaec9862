import { createDecipheriv, createHash } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';
import { translatorFor } from './translate.ts';
import { dialogByName, depositMethodButtons } from './user-actions.ts';

const translate = translatorFor('th');
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The deposit dialog, from a Thai home page. */
export const depositSheet = (page: Page): Locator => dialogByName(page, translate('deposit:title'));

/** Opens the dialog at the last used method or at the list. */
export async function openDepositSheet(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: translate('home:deposit') }).click();
  const sheet = depositSheet(page);
  await expect(sheet).toBeVisible();
  return sheet;
}

/** Opens the dialog and one method of its list. @param name name of the method */
export async function openDepositMethod(
  page: Page,
  methodKind: Parameters<typeof depositMethodButtons>[2],
  name: string,
): Promise<Locator> {
  const sheet = await openDepositSheet(page);
  await depositMethodButtons(sheet, translate, methodKind).filter({ hasText: name }).first().click();
  await expect(sheet.getByRole('heading', { level: 3, name })).toBeVisible();
  return sheet;
}

const PROMPTPAY_GATEWAYS = ['WW', 'FP', 'PAYONEX'];

/** Names of gateways as members read them: those whose codes any bank pays are PromptPay, numbered from the second. */
export function gatewayNames<Account extends { bankCode: string }>(
  gateways: readonly Account[],
  nameOf: (gateway: Account) => string,
  promptPay: string,
): string[] {
  const paidByAnyBank = gateways.filter(({ bankCode }) => PROMPTPAY_GATEWAYS.includes(bankCode));
  return gateways.map((gateway) => {
    const position = paidByAnyBank.indexOf(gateway) + 1;
    return position === 0 ? nameOf(gateway) : position === 1 ? promptPay : `${promptPay} ${position}`;
  });
}

/** Returns from a method to the list. */
export const backToDepositMethods = (sheet: Locator): Promise<void> =>
  sheet.getByRole('button', { name: translate('deposit:otherWays') }).click();

/** The displayed QR, by its amount: `50.00`. */
export const qrImage = (sheet: Locator, amount: string): Locator =>
  sheet.getByRole('img', { name: translate('deposit:qrOf', { amount: `฿${amount}` }) });

/** Decrypts a gift link encrypted by the app, like the server. */
export function decryptGiftLink(link: string, secret = 'krapao'): string {
  const bytes = Buffer.from(link, 'base64');
  const key = createHash('sha256').update(secret).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
