import { api, appUrl, newAccountNo, newPhone } from '../../support/member.ts';
import { newestCode } from '../../support/outside.ts';
import { codeStep, next, phoneStep, profileStep, verify } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('the proof of a phone', () => {
  test('belongs to the browser that made it, also over a reload; another one behind the same address skips nothing', async ({
    page,
    address,
    browser,
  }) => {
    const phone = newPhone();
    const profile = page.getByRole('heading', { name: 'ข้อมูลของคุณ' });
    await page.goto('/register');
    await phoneStep(page, phone);
    await codeStep(page, phone);
    await page.reload();
    await expect(profile).toBeVisible();
    await page.getByRole('button', { name: 'ย้อนกลับ' }).click();
    await next(page).click();
    await expect(profile).toBeVisible();

    const context = await browser.newContext({
      baseURL: appUrl(),
      locale: 'th-TH',
      extraHTTPHeaders: { 'x-forwarded-for': address },
    });
    const other = await context.newPage();
    await other.goto('/register');
    await phoneStep(other, phone);
    // No second code goes out within the minute.
    await expect(other.getByLabel('เบอร์โทรศัพท์')).toHaveAccessibleDescription(
      new RegExp(say('errors:errorMsg.REQUEST_LIMIT_1MIN')),
    );
    await context.close();
    const body = { phoneNumber: phone };
    expect((await api('POST', '/api/otp/send', { address, body })).body).toMatchObject({
      message: 'REQUEST_LIMIT_1MIN',
    });

    await profileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page).toHaveURL(/\/login$/);
  });
});

test.describe('a number that is registered already', () => {
  test('is reported at step 1, before step 3 asks for anything', async ({ page, address }) => {
    const phone = newPhone();
    await verify(phone, address);
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
    await phoneStep(page, phone);
    const field = page.getByLabel('เบอร์โทรศัพท์');
    const registered = new RegExp(say('errors:errorMsg.EXISTING_USER'));
    await expect(field).toHaveAccessibleDescription(registered);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toHaveCount(0);
    await field.fill(newPhone());
    await expect(field).not.toHaveAccessibleDescription(registered);
    await next(page).click();
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
  });

  test('leads back to step 1 when its code was right', async ({ page }) => {
    const phone = newPhone();
    await page.route('**/api/account/validate', (route) =>
      route.fulfill({ status: 409, json: { message: 'EXISTING_USER' } }),
    );
    await page.goto('/register');
    await phoneStep(page, phone);
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
    const { code } = await newestCode(phone);
    await page.getByLabel('รหัส OTP').fill(code);
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveAccessibleDescription(
      new RegExp(say('errors:errorMsg.EXISTING_USER')),
    );
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
  });
});
