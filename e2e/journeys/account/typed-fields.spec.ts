import type { Locator, Page } from '@playwright/test';
import { codeField, openBonuses } from '../../support/bonus.ts';
import { newPhone } from '../../support/member.ts';
import { newestCode } from '../../support/outside.ts';
import { atProfile, profileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

const inThai = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)));
const caretOf = (field: Locator): Promise<number | null> =>
  field.evaluate((input: HTMLInputElement) => input.selectionStart);
const putCaret = (field: Locator, at: number): Promise<void> =>
  field.evaluate((input: HTMLInputElement, place) => input.setSelectionRange(place, place), at);

/** Composes a text as an input method does: each beginning of it replaces the last one; then it is committed. */
async function compose(page: Page, text: string): Promise<void> {
  const input = await page.context().newCDPSession(page);
  for (let end = 1; end <= text.length; end += 1)
    await input.send('Input.imeSetComposition', { text: text.slice(0, end), selectionStart: end, selectionEnd: end });
  await input.send('Input.insertText', { text });
}

test.describe('fields for numbers', () => {
  test('a one-time code typed in Thai digits is read, and sent in ASCII digits', async ({ page }) => {
    const phone = newPhone();
    await page.goto('/register');
    await page.getByLabel('เบอร์โทรศัพท์').pressSequentially(inThai(phone));
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
    await page.getByRole('button', { name: 'ถัดไป' }).click();
    const { code } = await newestCode(phone);
    const field = page.getByLabel('รหัส OTP');
    await field.pressSequentially(inThai(code.slice(0, 3)));
    await expect(field).toHaveValue(code.slice(0, 3));
    const asked = page.waitForRequest('**/api/otp/verify');
    await field.pressSequentially(inThai(code.slice(3)));
    expect((await asked).postDataJSON()).toMatchObject({ otpCode: code });
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('a phone number can be corrected in its middle', async ({ page }) => {
    await page.goto('/login');
    const field = page.getByLabel('เบอร์โทรศัพท์');
    await expect(page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true })).toBeEnabled();
    await field.pressSequentially('081345678');
    await putCaret(field, 3);
    await page.keyboard.type('-2');
    expect(await caretOf(field)).toBe(5);
    await field.blur();
    await expect(field).toHaveValue('0812345678');
  });

  test('an account number takes digits alone and groups them while they are typed', async ({ page, address }) => {
    await atProfile(page, address);
    await profileStep(page);
    const field = page.getByLabel('เลขที่บัญชี');
    await field.pressSequentially('12a3-๔๕๖ 78');
    await expect(field).toHaveValue('123-456-78');
    await putCaret(field, 4);
    await page.keyboard.type('9');
    await expect(field).toHaveValue('123-945-678');
    expect(await caretOf(field)).toBe(5);
    await putCaret(field, 4);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('129-456-78');
    expect(await caretOf(field)).toBe(2);
  });
});

test.describe('fields in capitals', () => {
  test('letters are not doubled while an input method composes, and the caret keeps its place', async ({
    memberPage: page,
  }) => {
    await openBonuses(page);
    const code = codeField(page);
    await code.focus();
    await compose(page, 'krao');
    await expect(code).toHaveCSS('text-transform', 'uppercase');
    await expect(code).toHaveValue('KRAO');
    await compose(page, 'pa');
    await expect(code).toHaveValue('KRAOPA');
    await putCaret(code, 4);
    await page.keyboard.type('x๑');
    await expect(code).toHaveValue('KRAOX1PA');
    expect(await caretOf(code)).toBe(6);

    await page.goto('/user/profile');
    await page.getByRole('button', { name: say('profile:edit') }).click();
    const holder = page.getByRole('dialog').getByLabel(say('profile:holder'));
    await holder.fill('');
    await compose(page, 'nok');
    await page.keyboard.type(' jaidee');
    await expect(holder).toHaveValue('NOK JAIDEE');
    await putCaret(holder, 3);
    await page.keyboard.type('noi');
    await expect(holder).toHaveValue('NOKNOI JAIDEE');
    expect(await caretOf(holder)).toBe(6);
  });
});
