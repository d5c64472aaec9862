import { api, appUrl, newAccountNo, newPhone } from '../../support/member.ts';
import {
  completeCodeStep,
  nextButton,
  completePhoneStep,
  completeProfileStep,
  verifyPhone,
} from '../../support/register.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

test.describe('the proof of a phone', () => {
  test('the proof of a phone belongs to the browser that made it, also after a reload, and not to others at the same IP address', async ({
    page,
    address,
    browser,
  }) => {
    const phone = newPhone();
    const profileHeading = page.getByRole('heading', { name: 'ข้อมูลของคุณ' });
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await completeCodeStep(page, phone);
    await page.reload();
    await expect(profileHeading).toBeVisible();
    await page.getByRole('button', { name: 'ย้อนกลับ' }).click();
    await nextButton(page).click();
    await expect(profileHeading).toBeVisible();

    const context = await browser.newContext({
      baseURL: appUrl(),
      locale: 'th-TH',
      extraHTTPHeaders: { 'x-forwarded-for': address },
    });
    const otherPage = await context.newPage();
    await otherPage.goto('/register');
    await completePhoneStep(otherPage, phone);
    // The server sends no second code within the minute.
    await expect(otherPage.getByLabel('เบอร์โทรศัพท์')).toHaveAccessibleDescription(
      new RegExp(translate('errors:errorMsg.REQUEST_LIMIT_1MIN')),
    );
    await context.close();
    const body = { phoneNumber: phone };
    expect((await api('POST', '/api/otp/send', { address, body })).body).toMatchObject({
      message: 'REQUEST_LIMIT_1MIN',
    });

    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page).toHaveURL(/\/login$/);
  });
});

test.describe('a number that is already registered', () => {
  test('registration refuses a phone number that already has an account at the first step', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verifyPhone(phone, address);
    const body = {
      username: phone,
      name: 'Somchai',
      password: 'Basket-of-gold-9',
      sourceCode: 'FRIEND',
      bankCode: 'SCB',
      bankAccountName: 'SOMCHAI THOTSOP',
      bankAccountNo: newAccountNo(),
    };
    expect((await api('POST', '/api/account', { address, body })).status).toBe(200);
    await page.goto('/register');
    await completePhoneStep(page, phone);
    const field = page.getByLabel('เบอร์โทรศัพท์');
    const existingUserText = new RegExp(translate('errors:errorMsg.EXISTING_USER'));
    await expect(field).toHaveAccessibleDescription(existingUserText);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toHaveCount(0);
    await field.fill(newPhone());
    await expect(field).not.toHaveAccessibleDescription(existingUserText);
    await nextButton(page).click();
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
  });

  test('a registered phone number leads back to step 1 after its correct SMS code', async ({ page }) => {
    const phone = newPhone();
    await page.route('**/api/account/validate', (route) =>
      route.fulfill({ status: 409, json: { message: 'EXISTING_USER' } }),
    );
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
    const { code } = await readNewestSms(phone);
    await page.getByLabel('รหัส OTP').fill(code);
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveAccessibleDescription(
      new RegExp(translate('errors:errorMsg.EXISTING_USER')),
    );
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
  });
});
