import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';
import { dialog, ways } from './walk.ts';
import { speaking } from './words.ts';

const say = speaking('th');

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
