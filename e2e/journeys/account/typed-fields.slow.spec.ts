import type { Locator, Page } from '@playwright/test';
import { openBonusPage, PROMOTION_CODE, promotionCodeField } from '../../support/bonus.ts';
import { newPhone } from '../../support/member.ts';
import { completePhoneStep, openProfileStep, completeProfileStep } from '../../support/register.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

const toThaiDigits = (digits: string): string =>
  digits.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)));
const readCaret = (field: Locator): Promise<number | null> =>
  field.evaluate((input: HTMLInputElement) => input.selectionStart);
const setCaret = (field: Locator, caretPosition: number): Promise<void> =>
  field.evaluate((input: HTMLInputElement, place) => input.setSelectionRange(place, place), caretPosition);

/** Composes a text like an input method: each prefix replaces the previous one, and the last is committed. */
async function composeText(page: Page, text: string): Promise<void> {
  const input = await page.context().newCDPSession(page);
  for (let endIndex = 1; endIndex <= text.length; endIndex += 1)
    await input.send('Input.imeSetComposition', {
      text: text.slice(0, endIndex),
      selectionStart: endIndex,
      selectionEnd: endIndex,
    });
  await input.send('Input.insertText', { text });
}

test.describe('fields for numbers', () => {
  test('an SMS code typed in Thai digits is accepted and sent in ASCII digits', async ({ page }) => {
    const phone = newPhone();
    await page.goto('/register');
    await page.getByLabel('เบอร์โทรศัพท์').pressSequentially(toThaiDigits(phone));
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
    await page.getByRole('button', { name: 'ถัดไป' }).click();
    const { code } = await readNewestSms(phone);
    const field = page.getByLabel('รหัส OTP');
    await field.pressSequentially(toThaiDigits(code.slice(0, 3)));
    await expect(field).toHaveValue(code.slice(0, 3));
    const verifyRequest = page.waitForRequest('**/api/otp/verify');
    await field.pressSequentially(toThaiDigits(code.slice(3)));
    expect((await verifyRequest).postDataJSON()).toMatchObject({ otpCode: code });
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('the SMS code is extracted from a pasted message; an ambiguous or incomplete one is never sent', async ({
    page,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const sentCodes: unknown[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/api/otp/verify')) sentCodes.push(request.postDataJSON());
    });
    const phone = newPhone();
    await page.goto('/register');
    await completePhoneStep(page, phone);
    const { code } = await readNewestSms(phone);
    const field = page.getByLabel('รหัส OTP');
    const paste = async (text: string): Promise<void> => {
      await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
      await field.focus();
      await page.keyboard.press('ControlOrMeta+V');
    };
    const other = code === '654321' ? '765432' : '654321';
    for (const unclear of [`รหัส ${code} รหัส ${other}`, '081-234-5678', 'LUCKY88: รหัส 1234 (Ref: 5678)']) {
      await paste(unclear);
      await expect(field).toHaveAccessibleDescription(translate('register:codeDigits'));
      await expect(field).toHaveValue('');
      await field.pressSequentially('1');
      await expect(field).toHaveAccessibleDescription('');
      await field.fill('');
      // Inserted by a keyboard's own clipboard.
      await field.fill(unclear);
      await expect(field).toHaveAccessibleDescription(translate('register:codeDigits'));
    }
    await field.fill('12');
    await field.press('Enter');
    await expect(field).toHaveAccessibleDescription(translate('register:codeDigits'));
    expect(sentCodes).toEqual([]);
    await paste(`LUCKY88: รหัส OTP ของคุณคือ ${toThaiDigits(code)} (Ref: AB12) ใช้ได้ภายใน 5 นาที โทร 02-123-4567`);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
    expect(sentCodes).toMatchObject([{ otpCode: code }]);
  });

  test('a phone number can be edited in the middle without moving the caret', async ({ page }) => {
    await page.goto('/login');
    const field = page.getByLabel('เบอร์โทรศัพท์');
    await expect(page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true })).toBeEnabled();
    await field.pressSequentially('081345678');
    await setCaret(field, 3);
    await page.keyboard.type('-2');
    expect(await readCaret(field)).toBe(5);
    await field.blur();
    await expect(field).toHaveValue('0812345678');
  });

  test('an account number field accepts only digits and groups them while they are typed', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    await completeProfileStep(page);
    const field = page.getByLabel('เลขที่บัญชี');
    await field.pressSequentially('12a3-๔๕๖ 78');
    await expect(field).toHaveValue('123-456-78');
    await setCaret(field, 4);
    await page.keyboard.type('9');
    await expect(field).toHaveValue('123-945-678');
    expect(await readCaret(field)).toBe(5);
    await setCaret(field, 4);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('129-456-78');
    expect(await readCaret(field)).toBe(2);
  });
});

test.describe('text with invisible characters', () => {
  test('pasted text loses invisible characters at its ends; a name with one inside is refused at its field, in three languages', async ({
    memberPage: page,
  }) => {
    for (const language of ['en', 'la', 'th'] as const) {
      const words = translatorFor(language);
      await page.goto('/user/profile');
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      await buttonByName(page, words('profile:edit')).click();
      const sheet = page.getByRole('dialog');
      const name = sheet.getByLabel(words('profile:name'), { exact: true });
      await name.fill('Som\u202eiaJ');
      await buttonByName(sheet, words('common:save')).click();
      await expect(name).toHaveAccessibleDescription(new RegExp(words('errors:refused.name')));
      await expect(name).toHaveAttribute('aria-invalid', 'true');
      await expect(sheet.getByText(words('errors:refused.name'))).toHaveCount(1);
      await name.fill(`\u202aSom ${language}\u202c\ufeff`);
      await sheet.getByLabel(words('profile:holder')).fill('\u00adSom Chai\u200b');
      await buttonByName(sheet, words('common:save')).click();
      await expect(dialogByName(page, words('common:success'))).toBeVisible();
      await page.reload();
      await expect(page.getByRole('main')).toContainText(`Som ${language}`);
      expect(await page.getByRole('main').innerText()).not.toMatch(/\u202a|\u202c|\ufeff|\u00ad/);
    }
    await openBonusPage(page);
    await promotionCodeField(page).fill(`\ufeff${PROMOTION_CODE}\u200b`);
    await buttonByName(page, translate('bonus:promotion.search')).click();
    await expect(page.getByRole('dialog')).toContainText('100');
  });
});

test.describe('fields in capitals', () => {
  test('a field that capitalizes doubles no letter while an input method composes, and keeps the caret', async ({
    memberPage: page,
  }) => {
    await openBonusPage(page);
    const code = promotionCodeField(page);
    // The placeholder of the form is invisible and has the same field.
    await expect(code).toBeVisible();
    await code.focus();
    await composeText(page, 'krao');
    await expect(code).toHaveCSS('text-transform', 'uppercase');
    await expect(code).toHaveValue('KRAO');
    await composeText(page, 'pa');
    await expect(code).toHaveValue('KRAOPA');
    await setCaret(code, 4);
    await page.keyboard.type('x๑');
    await expect(code).toHaveValue('KRAOX1PA');
    expect(await readCaret(code)).toBe(6);

    await page.goto('/user/profile');
    await page.getByRole('button', { name: translate('profile:edit') }).click();
    const holder = page.getByRole('dialog').getByLabel(translate('profile:holder'));
    await holder.fill('');
    await composeText(page, 'nok');
    await page.keyboard.type(' jaidee');
    await expect(holder).toHaveValue('NOK JAIDEE');
    await setCaret(holder, 3);
    await page.keyboard.type('noi');
    await expect(holder).toHaveValue('NOKNOI JAIDEE');
    expect(await readCaret(holder)).toBe(6);
  });
});
