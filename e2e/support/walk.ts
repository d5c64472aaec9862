import { readFile } from 'node:fs/promises';
import { plainPhone } from '@krapao/contract/rules';
import type { Locator, Page } from '@playwright/test';
import type { Phone } from './phone.ts';
import type { Say } from './words.ts';
import { expect } from './test.ts';

/** What a person does in the app, step by step, in the language that they read. */

export type Person = {
  phone: string;
  password: string;
  /** As the app greets them. */
  name: string;
  firstName: string;
  lastName: string;
  accountNo: string;
  /** Default: SCB. */
  bankCode?: string;
};

/** Called at each screen. */
export type OnScreen = (name: string) => Promise<void>;

export const dialog = (page: Page, name: string): Locator => page.getByRole('dialog', { name, exact: true });

/** A button of the page or of a dialog, by its whole name. */
export const button = (place: Page | Locator, name: string): Locator =>
  place.getByRole('button', { name, exact: true });

/** Signs up, with the code that comes to the phone, as far as the login page. */
export async function register(page: Page, say: Say, phone: Phone, person: Person, onScreen: OnScreen): Promise<void> {
  await page
    .getByRole('main')
    .getByRole('link', { name: say('login:register') })
    .click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('register:title'));
  await onScreen('register-phone');
  await phone.useNumber(person.phone);
  await page.getByLabel(say('register:phone')).fill(person.phone);
  await button(page, say('common:next')).click();
  await expect(page.getByText(say('register:codeSent', { phone: plainPhone(person.phone) }))).toBeVisible();
  await onScreen('register-code');
  await page.getByLabel(say('register:code'), { exact: true }).fill((await phone.readCode()).code);
  await page.getByLabel(say('register:name')).fill(person.name);
  await page.getByLabel(say('register:password'), { exact: true }).fill(person.password);
  await page.getByLabel(say('register:confirmPassword')).fill(person.password);
  await page.getByLabel(say('register:source')).selectOption({ index: 1 });
  await onScreen('register-profile');
  await button(page, say('common:next')).click();
  await page.getByLabel(say('register:bank'), { exact: true }).selectOption(person.bankCode ?? 'SCB');
  await page.getByLabel(say('register:accountNo')).fill(person.accountNo);
  await page.getByLabel(say('register:firstName')).fill(person.firstName);
  await page.getByLabel(say('register:lastName')).fill(person.lastName);
  await onScreen('register-bank');
  await button(page, say('register:submit')).click();
  await expect(page.getByText(say('register:success'))).toBeVisible();
  await onScreen('registered');
  await expect(page).toHaveURL(/\/login$/);
}

/** The agreement is asked for, once its part, its texts and what makes them safe to show have come, one after the other. */
export const comes = (agreement: Locator): Promise<void> => expect(agreement).toBeVisible({ timeout: 30_000 });

/**
 * The same with the page's clock stopped past the delay: code that loads later sets a timer that is due, but fires only when
 * the clock moves.
 */
export const comesByClock = (page: Page, agreement: Locator): Promise<void> =>
  expect
    .poll(async () => {
      await page.clock.runFor(1);
      return agreement.isVisible();
    })
    .toBe(true);

/** Logs in and accepts the agreement that comes a moment later. */
export async function logIn(page: Page, say: Say, person: Person, onScreen: OnScreen): Promise<void> {
  await page.getByLabel(say('login:phone')).fill(person.phone);
  await page.getByLabel(say('login:password'), { exact: true }).fill(person.password);
  await onScreen('login');
  await button(page, say('login:submit')).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  const agreement = dialog(page, say('agreement:title'));
  await comes(agreement);
  await onScreen('agreement');
  await button(agreement, say('agreement:accept')).click();
  await expect(agreement).toBeHidden();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('home:greeting', { name: person.name }));
  await onScreen('home-empty');
}

/** The ways of a kind in the list of the deposit sheet, in the operator's order. */
export const ways = (sheet: Locator, say: Say, kind: 'qr' | 'bank' | 'wallet' | 'slip'): Locator =>
  sheet.getByRole('region', { name: say(`deposit:group.${kind}`) }).getByRole('button');

/** Asks for a QR by one of the quick amounts. @param amount whole baht, below a thousand @returns the sheet with the QR */
export async function createQr(page: Page, say: Say, amount: number, onScreen: OnScreen): Promise<Locator> {
  await button(page, say('home:deposit')).click();
  const sheet = dialog(page, say('deposit:title'));
  await onScreen('deposit-ways');
  await ways(sheet, say, 'qr').first().click();
  await button(sheet, String(amount)).click();
  await onScreen('deposit-form');
  await button(sheet, say('deposit:create')).click();
  await expect(qrPicture(sheet, say, amount)).toBeVisible();
  await onScreen('deposit-qr');
  return sheet;
}

export const qrPicture = (sheet: Locator, say: Say, amount: number): Locator =>
  sheet.getByRole('img', {
    name: say('deposit:qrOf', { amount: `฿${amount}.00` }),
  });

/** Saves the QR the way the app offers it. @returns the picture file */
export async function saveQr(page: Page, sheet: Locator, say: Say): Promise<Buffer> {
  const saving = page.waitForEvent('download');
  await button(sheet, say('deposit:saveImage')).click();
  return readFile(await (await saving).path());
}

/** The arrival of the money, which the app shows automatically; and back home. */
export async function seeArrival(sheet: Locator, say: Say, amount: number, onScreen: OnScreen): Promise<void> {
  await expect(sheet.getByText(say('deposit:arrivedAmount', { amount: `฿${amount}.00` }))).toBeVisible({
    timeout: 20_000,
  });
  await expect(sheet.getByRole('paragraph').filter({ hasText: say('deposit:newBalance') })).toContainText(
    `฿${amount}.00`,
  );
  await onScreen('deposit-arrived');
  await button(sheet, say('deposit:finish')).click();
  await expect(sheet).toBeHidden();
}

/** A game's card on the home page. */
export const card = (page: Page, game: string): Locator =>
  page.getByRole('button', { name: new RegExp(`^${game}[ ,]`) });

/** Opens a game account from its card. */
export async function openGameAccount(page: Page, say: Say, game: string, onScreen: OnScreen): Promise<void> {
  await card(page, game).click();
  const sheet = dialog(page, game);
  await onScreen('game-closed');
  await button(sheet, say('game:open')).click();
  await expect(sheet.getByRole('region', { name: say('game:credentials') })).toBeVisible();
  await onScreen('game-open');
  await page.keyboard.press('Escape');
  await expect(sheet).toBeHidden();
}

/** Moves money from the wallet to the only game account. @param amount as typed */
export async function moveIn(page: Page, say: Say, amount: string, onScreen: OnScreen): Promise<void> {
  await button(page, say('home:transfer')).click();
  const sheet = dialog(page, say('transfer:title'));
  await sheet.getByLabel(say('transfer:amount')).fill(amount);
  await onScreen('transfer-form');
  await button(sheet, say('transfer:submit')).click();
  const done = dialog(page, say('transfer:successTitle'));
  await expect(done).toBeVisible();
  await onScreen('transfer-done');
  await button(done, say('common:ok')).click();
  await expect(page.getByRole('dialog')).toHaveCount(0);
}

/** What the home page says that the member has. */
export const total = (page: Page, say: Say): Locator =>
  page.getByRole('region', { name: say('home:total') }).locator('.fit-amount');
