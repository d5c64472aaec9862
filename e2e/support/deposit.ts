import { createDecipheriv, createHash } from 'node:crypto';
import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';
import { dialog, ways } from './walk.ts';
import { speaking } from './words.ts';

const say = speaking('th');
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The deposit dialog, from a Thai home page. */
export const depositSheet = (page: Page): Locator => dialog(page, say('deposit:title'));

/** Opens the dialog, where one was before in this visit or at the list. */
export async function openDeposit(page: Page): Promise<Locator> {
  await page.getByRole('button', { name: say('home:deposit') }).click();
  const sheet = depositSheet(page);
  await expect(sheet).toBeVisible();
  return sheet;
}

/** Opens the dialog and one way of its list. @param name what the way is called */
export async function openWay(page: Page, kind: Parameters<typeof ways>[2], name: string): Promise<Locator> {
  const sheet = await openDeposit(page);
  await ways(sheet, say, kind).filter({ hasText: name }).first().click();
  await expect(sheet.getByRole('heading', { level: 3, name })).toBeVisible();
  return sheet;
}

/** Back from a way to the list. */
export const backToWays = (sheet: Locator): Promise<void> =>
  sheet.getByRole('button', { name: say('deposit:otherWays') }).click();

/** The QR on the screen, by the amount that it asks for: `50.00`. */
export const qrOf = (sheet: Locator, amount: string): Locator =>
  sheet.getByRole('img', { name: say('deposit:qrOf', { amount: `฿${amount}` }) });

/** Decrypts a gift link that the app has encrypted, as the server does. */
export function unseal(link: string, secret = 'krapao'): string {
  const bytes = Buffer.from(link, 'base64');
  const key = createHash('sha256').update(secret).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES));
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
}
