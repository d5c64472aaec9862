import { readFile } from 'node:fs/promises';
import { plainPhone } from '@krapao/contract/rules';
import type { Locator, Page } from '@playwright/test';
import type { SmsPhone } from './phone.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';

/** User actions in the app, in the user's language. */

export type UserProfile = {
  phone: string;
  password: string;
  /** Name in the app's greeting. */
  name: string;
  firstName: string;
  lastName: string;
  accountNo: string;
  /** Default: SCB. */
  bankCode?: string;
};

/** Presses a checkbox or switch. @returns whether it is checked within the press. Runs in the page. */
export function pressCheckbox(box: Element): boolean {
  (box as HTMLInputElement).click();
  return (box as HTMLInputElement).checked;
}

/** Called at each screen. */
export type ScreenCallback = (name: string) => Promise<void>;

export const dialogByName = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

/** A button of the page or of a dialog, by its whole name. */
export const buttonByName = (container: Page | Locator, name: string): Locator =>
  container.getByRole('button', { name, exact: true });

/** Registers with the code from the phone, up to the login page. */
export async function registerUser(
  page: Page,
  translate: Translate,
  phone: SmsPhone,
  user: UserProfile,
  onScreen: ScreenCallback,
): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('link', { name: translate('login:register') })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('register:title'));
  await onScreen('register-phone');
  await phone.setNumber(user.phone);
  await page.getByLabel(translate('register:phone')).fill(user.phone);
  await buttonByName(page, translate('common:next')).click();
  await expect(page.getByText(translate('register:codeSent', { phone: plainPhone(user.phone) }))).toBeVisible();
  await onScreen('register-code');
  await page.getByLabel(translate('register:code'), { exact: true }).fill((await phone.readCode()).code);
  await page.getByLabel(translate('register:name')).fill(user.name);
  await page.getByLabel(translate('register:password'), { exact: true }).fill(user.password);
  await page.getByLabel(translate('register:confirmPassword')).fill(user.password);
  await page.getByLabel(translate('register:source')).selectOption({ index: 1 });
  await onScreen('register-profile');
  await buttonByName(page, translate('common:next')).click();
  await page.getByLabel(translate('register:bank'), { exact: true }).selectOption(user.bankCode ?? 'SCB');
  await page.getByLabel(translate('register:accountNo')).fill(user.accountNo);
  await page.getByLabel(translate('register:firstName')).fill(user.firstName);
  await page.getByLabel(translate('register:lastName')).fill(user.lastName);
  await onScreen('register-bank');
  await buttonByName(page, translate('register:submit')).click();
  await expect(page.getByText(translate('register:success'))).toBeVisible();
  await onScreen('registered');
  await expect(page).toHaveURL(/\/login$/);
}

/** The agreement appears after its code, its texts and the sanitizer have loaded, one after another. */
export const expectAgreementVisible = (agreementDialog: Locator): Promise<void> =>
  expect(agreementDialog).toBeVisible({ timeout: 30_000 });

/**
 * The same with the page's clock paused past the delay: code that loads later sets a timer that fires only when the
 * clock moves.
 */
export const expectAgreementByClock = (page: Page, agreementDialog: Locator): Promise<void> =>
  expect
    .poll(async () => {
      await page.clock.runFor(1);
      return agreementDialog.isVisible();
    })
    .toBe(true);

/** Logs in and accepts the agreement, which appears a moment later. */
export async function logInUser(
  page: Page,
  translate: Translate,
  user: UserProfile,
  onScreen: ScreenCallback,
): Promise<void> {
  await page.getByLabel(translate('login:phone')).fill(user.phone);
  await page.getByLabel(translate('login:password'), { exact: true }).fill(user.password);
  await onScreen('login');
  await buttonByName(page, translate('login:submit')).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  const agreementDialog = dialogByName(page, translate('agreement:title'));
  await expectAgreementVisible(agreementDialog);
  await onScreen('agreement');
  await buttonByName(agreementDialog, translate('agreement:accept')).click();
  await expect(agreementDialog).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('home:greeting', { name: user.name }));
  await onScreen('home-empty');
}

/** Deposit methods of one kind in the list, in the operator's order. */
export const depositMethodButtons = (
  sheet: Locator,
  translate: Translate,
  methodKind: 'qr' | 'bank' | 'wallet' | 'slip',
): Locator => sheet.getByRole('region', { name: translate(`deposit:group.${methodKind}`) }).getByRole('button');

/**
 * Creates a QR by one of the quick amounts. @param amount whole baht, below a thousand @returns the sheet with the QR
 */
export async function createQr(
  page: Page,
  translate: Translate,
  amount: number,
  onScreen: ScreenCallback,
): Promise<Locator> {
  await buttonByName(page, translate('home:deposit')).click();
  const sheet = dialogByName(page, translate('deposit:title'));
  await onScreen('deposit-ways');
  await depositMethodButtons(sheet, translate, 'qr').first().click();
  await buttonByName(sheet, String(amount)).click();
  await onScreen('deposit-form');
  await buttonByName(sheet, translate('deposit:create')).click();
  await expect(qrImageOfAmount(sheet, translate, amount)).toBeVisible();
  await onScreen('deposit-qr');
  return sheet;
}

export const qrImageOfAmount = (sheet: Locator, translate: Translate, amount: number): Locator =>
  sheet.getByRole('img', {
    name: translate('deposit:qrOf', { amount: `฿${amount}.00` }),
  });

/** Saves the QR with the app's button. @returns the image file */
export async function saveQr(page: Page, sheet: Locator, translate: Translate): Promise<Buffer> {
  const imageDownload = page.waitForEvent('download');
  await buttonByName(sheet, translate('deposit:saveImage')).click();
  return readFile(await (await imageDownload).path());
}

/** The arrival of the money, which the app shows automatically; and back home. */
export async function expectDepositArrival(
  sheet: Locator,
  translate: Translate,
  amount: number,
  onScreen: ScreenCallback,
): Promise<void> {
  const arrived = translate('deposit:arrivedAmount', { amount: `฿${amount}.00` });
  // A bonus of the same amount may be named too.
  await expect(sheet.getByText(arrived, { exact: true })).toBeVisible({ timeout: 20_000 });
  await expect(sheet.getByRole('paragraph').filter({ hasText: translate('deposit:newBalance') })).toContainText(
    `฿${amount}.00`,
  );
  await onScreen('deposit-arrived');
  await buttonByName(sheet, translate('deposit:finish')).click();
  await expect(sheet).toBeHidden();
}

/** A game's card on the home page. */
export const gameCard = (page: Page, game: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${game}[ ,]`) });

/** Opens a game account from its card. */
export async function openGameAccountFromCard(
  page: Page,
  translate: Translate,
  game: string,
  onScreen: ScreenCallback,
): Promise<void> {
  await gameCard(page, game).click();
  const sheet = dialogByName(page, game);
  await onScreen('game-closed');
  await sheet.locator('summary', { hasText: translate('game:openOnly') }).click();
  await buttonByName(sheet, translate('game:open')).click();
  await expect(sheet.getByRole('region', { name: translate('game:credentials') })).toBeVisible();
  await onScreen('game-open');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
}

/** Transfers money from the wallet to the only game account. @param amount as typed */
export async function transferToGame(
  page: Page,
  translate: Translate,
  amount: string,
  onScreen: ScreenCallback,
): Promise<void> {
  await buttonByName(page, translate('home:transfer')).click();
  const sheet = dialogByName(page, translate('transfer:title'));
  await sheet.getByLabel(translate('transfer:amount')).fill(amount);
  await onScreen('transfer-form');
  await buttonByName(sheet, translate('transfer:submit')).click();
  const successDialog = dialogByName(page, translate('transfer:successTitle'));
  await expect(successDialog).toBeVisible();
  await onScreen('transfer-done');
  await buttonByName(successDialog, translate('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** Sends the withdrawal whose amount is typed: reviews it, then confirms it. */
export async function sendWithdrawal(sheet: Locator, translate: Translate): Promise<void> {
  await buttonByName(sheet, translate('withdraw:submit')).click();
  await buttonByName(sheet, translate('withdraw:review.confirm')).click();
}

/** The member's total on the home page. */
export const totalBalanceText = (page: Page, translate: Translate): Locator =>
  page.getByRole('region', { name: translate('home:total') }).locator('.fit-amount');
