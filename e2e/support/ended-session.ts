import type { Locator, Page } from '@playwright/test';
import type { Member } from './member.ts';
import { expect } from './test.ts';
import { translatorFor } from './translate.ts';
import { buttonByName, dialogByName } from './user-actions.ts';

const translate = translatorFor('th');

const NOTICES = {
  th: 'การเข้าสู่ระบบสิ้นสุดแล้ว เงินของคุณยังอยู่ครบ',
  la: 'ການເຂົ້າສູ່ລະບົບສິ້ນສຸດແລ້ວ ເງິນຂອງທ່ານຍັງຢູ່ຄົບ',
  en: 'Your session has ended. Your money is unchanged.',
};

/** Says on the login page that a session has ended. */
export const endedNotice = (page: Page, language: keyof typeof NOTICES = 'th'): Locator =>
  page.getByRole('main').getByText(NOTICES[language], { exact: true });
export const phoneField = (page: Page): Locator => page.getByLabel(translate('login:phone'));
export const passwordField = (page: Page): Locator => page.getByLabel(translate('login:password'), { exact: true });
export const amountField = (page: Page, sheet: 'withdraw' | 'transfer'): Locator =>
  dialogByName(page, translate(`${sheet}:title`)).getByLabel(translate(`${sheet}:amount`));
export const depositField = (page: Page): Locator =>
  dialogByName(page, translate('deposit:title')).getByLabel(translate('deposit:advice.howMuch'));

/** Opens a sheet of the home page and types an amount. */
export async function typeAmount(
  page: Page,
  sheet: 'withdraw' | 'transfer' | 'deposit',
  amount: string,
): Promise<void> {
  await buttonByName(page, translate(`home:${sheet}`)).click();
  await (sheet === 'deposit' ? depositField(page) : amountField(page, sheet)).fill(amount);
}

/** The login page after a session: says so, and has the phone but no password. */
export async function expectEnded(page: Page, phone: string): Promise<void> {
  await expect(page).toHaveURL(/\/login\?/);
  await expect(endedNotice(page)).toBeVisible();
  await expect(phoneField(page)).toHaveValue(phone);
  await expect(passwordField(page)).toHaveValue('');
}

/** Submits the login form. */
export async function logInAgain(
  page: Page,
  member: Pick<Member, 'phone' | 'password'>,
  remember = false,
): Promise<void> {
  await phoneField(page).fill(member.phone);
  await passwordField(page).fill(member.password);
  if (remember) await page.getByLabel(translate('login:remember')).check();
  await buttonByName(page, translate('login:submit')).click();
}
