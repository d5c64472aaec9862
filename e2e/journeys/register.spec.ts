import type { Page } from '@playwright/test';
import { api, newAccountNo, newMember, newPhone } from '../support/member.ts';
import { newestCode } from '../support/outside.ts';
import { expect, test } from '../support/test.ts';

const next = (page: Page) => page.getByRole('button', { name: 'ถัดไป' });

async function phoneStep(page: Page, phone: string): Promise<void> {
  await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
  await next(page).click();
}

async function codeStep(page: Page, phone: string): Promise<void> {
  await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
  await page.getByLabel('รหัส OTP').fill((await newestCode(phone)).code);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}

async function profileStep(page: Page, password = 'Basket-of-gold-9'): Promise<void> {
  await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
  await page.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
  await page.getByLabel('ยืนยันรหัสผ่าน').fill(password);
  await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
  await next(page).click();
}

/** Proves a phone from where the browser will call, without the browser. */
async function verify(phone: string, address: string): Promise<void> {
  const { body } = await api<{ otpToken: string }>('POST', '/api/otp/send', { address, body: { phoneNumber: phone } });
  const { code } = await newestCode(phone);
  const proof = { otpToken: body.otpToken, otpCode: code };
  expect((await api('POST', '/api/otp/verify', { address, body: proof })).status).toBe(200);
}

/** At step 3, with a phone that has been proven. */
async function atProfile(page: Page, address: string): Promise<void> {
  const phone = newPhone();
  await verify(phone, address);
  await page.goto('/register');
  await phoneStep(page, phone);
  await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
}

test.describe('register', () => {
  test('a new member goes through all four steps and can log in [R-REG-01] [R-REG-02] [R-REG-04] [R-REG-06]', async ({
    page,
  }) => {
    const phone = newPhone();
    await page.goto('/register');
    await phoneStep(page, phone);
    const message = await newestCode(phone);
    await expect(page.getByText(message.ref, { exact: true })).toBeVisible();
    await codeStep(page, phone);
    await profileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await expect(page.getByLabel('ชื่อเจ้าของบัญชี')).toHaveCSS('text-transform', 'uppercase');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await expect(page.getByText('สกุลเงิน')).toBeHidden();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 30_000);
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page.getByText('สมัครสมาชิกสำเร็จ')).toBeVisible();
    await page.clock.runFor(1_900);
    await expect(page).toHaveURL(/\/register$/);
    await page.clock.runFor(200);
    await expect(page).toHaveURL(/\/login$/);
    const login = await api('POST', '/api/login', { body: { username: phone, password: 'Basket-of-gold-9' } });
    expect(login.status).toBe(200);
    const profile = await api('GET', '/api/account/profile', { token: String(login.body['token']) });
    expect(profile.body).toMatchObject({ bankAccount: { bankAccountName: 'SOMCHAI THOTSOP', bankCode: 'SCB' } });
  });

  test('a phone that was verified a moment ago skips the code [R-REG-01]', async ({ page, address }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('a wrong code is told, and the right one still works [R-REG-01]', async ({ page }) => {
    const phone = newPhone();
    await page.goto('/register');
    await phoneStep(page, phone);
    const { code } = await newestCode(phone);
    await page.getByLabel('รหัส OTP').fill(code === '000000' ? '000001' : '000000');
    await expect(page.getByRole('alert')).toBeVisible();
    await codeStep(page, phone);
  });

  test('the wait for another code goes on over a reload where it was', async ({ page }) => {
    const phone = newPhone();
    await page.clock.install();
    await page.goto('/register');
    await phoneStep(page, phone);
    const resend = page.getByRole('button', { name: /^ส่งรหัสอีกครั้ง/ });
    await expect(resend).toContainText(/วินาที/);
    await page.clock.fastForward(40_000);
    await page.reload();
    await expect(resend).toHaveText(/ (\d|1\d|20) วินาที/);
    await expect(resend).toBeDisabled();
    await page.clock.fastForward(21_000);
    await expect(resend).toHaveText('ส่งรหัสอีกครั้ง');
    await expect(resend).toBeEnabled();
    await page.route('**/api/otp/send', (route) =>
      route.fulfill({ json: { otpRef: 'ANEW', otpToken: 'a-new-one', code: 'OTP_SENT' } }),
    );
    await resend.press('Enter');
    await expect(page.getByText('ANEW')).toBeVisible();
    // The wait begins again, and who pressed it goes on from there.
    await expect(resend).toBeDisabled();
    await expect(resend).toBeFocused();
  });

  test('step 3 stops silently while a field is empty and says when the passwords differ [R-REG-02]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    let validated = 0;
    page.on('request', (request) => (validated += request.url().endsWith('/api/account/validate') ? 1 : 0));
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
    await next(page).click();
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.getByLabel('ยืนยันรหัสผ่าน').fill('Basket-of-gold-8');
    await next(page).click();
    await expect(page.getByText('รหัสผ่านไม่ตรงกัน')).toBeVisible();
    expect(validated).toBe(0);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('step 3 goes on only when the server agrees [R-REG-02]', async ({ page, address }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    await profileStep(page, 'short');
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
  });

  test('the inviter’s code comes from the address and is kept for another visit [R-REG-03] [R-KEY-01]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register?code=PRabc123');
    await expect.poll(() => page.evaluate(() => localStorage.getItem('invite code'))).toBe('PRabc123');
    await page.goto('/register');
    await phoneStep(page, phone);
    await expect(page.getByLabel('รหัสผู้แนะนำ (ถ้ามี)')).toHaveValue('PRabc123');
  });

  test('a reload in the middle goes on with what was typed, but for the passwords', async ({ page, address }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
    await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
    await page.reload();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await expect(page.getByLabel('รหัสผ่าน', { exact: true })).toHaveValue('');
    await expect(page.getByLabel('รู้จักเราจากที่ไหน')).toHaveValue('FRIEND');
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain('Basket');
  });

  test('everything about the bank is required, and KTB, TMB and BBL want English letters [R-REG-04] [R-REG-05]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    await profileStep(page);
    await expect(page.getByRole('heading', { name: 'บัญชีธนาคาร' })).toBeVisible();
    const submit = page.getByRole('button', { name: 'สมัครสมาชิก' });
    await submit.click();
    for (const text of ['กรุณาเลือกธนาคาร', 'กรุณากรอกเลขที่บัญชี', 'กรุณากรอกชื่อ', 'กรุณากรอกนามสกุล'])
      await expect(page.getByText(text, { exact: true })).toBeVisible();
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('สมชาย');
    await page.getByLabel('นามสกุล').fill('ทดสอบ');
    for (const bank of ['KTB', 'TMB', 'BBL']) {
      await page.getByLabel('ธนาคาร', { exact: true }).selectOption(bank);
      await submit.click();
      await expect(page.getByText('ชื่อบัญชีธนาคารต้องเป็นภาษาอังกฤษเท่านั้น')).toBeVisible();
    }
  });

  test('a bank account that another member has is refused in words [R-NET-04]', async ({ page, address }) => {
    const other = await newMember();
    const phone = newPhone();
    await verify(phone, address);
    await page.goto('/register');
    await phoneStep(page, phone);
    await profileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(other.bankAccountNo);
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page.getByRole('alert')).toContainText('บัญชีธนาคาร');
  });

  test('a password that anybody would guess and a source that is not chosen are each told at their field [R-REG-02]', async ({
    page,
    address,
  }) => {
    await atProfile(page, address);
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    // The list takes the place of the empty one, and focus with it.
    await expect(source.getByRole('option')).not.toHaveCount(1);
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('12345678');
    await page.getByLabel('ยืนยันรหัสผ่าน').fill('12345678');
    await next(page).click();
    await expect(source).toHaveAccessibleDescription('กรุณาเลือกว่ารู้จักเราจากที่ไหน');
    await expect(source).toBeFocused();
    await source.selectOption('FRIEND');
    await next(page).click();
    const password = page.getByLabel('รหัสผ่าน', { exact: true });
    await expect(password).toHaveAccessibleDescription(/เดาง่ายเกินไป/);
    await expect(password).toBeFocused();
    await expect(page.getByRole('alert')).toHaveCount(1);
    await password.fill('Basket-of-gold-9');
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('lists of sources and banks that did not come are asked for again from below them', async ({
    page,
    address,
  }) => {
    const lists = /lookup\/(sources|banks)$/;
    await page.route(lists, (route) => route.abort());
    await atProfile(page, address);
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    await expect(source).toHaveAccessibleDescription(/ติดต่อเซิร์ฟเวอร์ไม่ได้/);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await expect(source.getByRole('option')).not.toHaveCount(1);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.route(lists, (route) => route.abort());
    await profileStep(page);
    const bank = page.getByLabel('ธนาคาร', { exact: true });
    await expect(bank).toHaveAccessibleDescription(/ติดต่อเซิร์ฟเวอร์ไม่ได้/);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await bank.selectOption('SCB');
  });

  test('a proof of the phone that has run out is told, and the wizard begins again with all that was typed', async ({
    page,
    address,
  }) => {
    await atProfile(page, address);
    await page.route('**/api/account/validate', (route) =>
      route.fulfill({ status: 403, json: { message: 'UNVERIFIED_OTP' } }),
    );
    await profileStep(page);
    await expect(page.getByText('กรุณายืนยันเบอร์โทรศัพท์ด้วยรหัส OTP')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
    await page.unroute('**/api/account/validate');
    await next(page).click();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await next(page).click();
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.route('**/api/account', (route) => route.fulfill({ status: 403, json: { message: 'UNVERIFIED_OTP' } }));
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page.getByText('กรุณายืนยันเบอร์โทรศัพท์ด้วยรหัส OTP')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
  });

  test('an account number that the bank can’t have is told at its field; what was typed of the bank stays over a reload, and each step has a way back', async ({
    page,
    address,
  }) => {
    await atProfile(page, address);
    await page.getByRole('button', { name: 'ย้อนกลับ' }).click();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
    await next(page).click();
    await profileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    const number = page.getByLabel('เลขที่บัญชี');
    await number.fill('123');
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(number).toHaveAccessibleDescription(/เลขบัญชีไม่ถูกต้อง/);
    await expect(number).toBeFocused();
    await number.fill('1234567890');
    await page.reload();
    await profileStep(page);
    await expect(page.getByLabel('ธนาคาร', { exact: true })).toHaveValue('SCB');
    await expect(number).toHaveValue('1234567890');
    await expect(page.getByLabel('นามสกุล')).toHaveValue('thotsop');
  });

  test('pressing Enter twice sends one code', async ({ page }) => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    let sent = 0;
    await page.route('**/api/otp/send', async (route) => {
      sent++;
      await answered;
      await route.continue();
    });
    await page.goto('/register');
    const phone = page.getByLabel('เบอร์โทรศัพท์');
    await phone.fill(newPhone());
    // Enter sends nothing before the page has come to life.
    await expect(next(page)).toBeEnabled();
    await phone.press('Enter');
    await expect.poll(() => sent).toBe(1);
    await phone.press('Enter');
    answer();
    await expect(page.getByRole('heading', { name: 'ยืนยันรหัส OTP' })).toBeVisible();
    expect(sent).toBe(1);
  });
});
