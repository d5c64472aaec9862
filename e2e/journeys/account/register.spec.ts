import { api, newAccountNo, newMember, newPhone } from '../../support/member.ts';
import {
  openProfileStep,
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

test.describe('register', () => {
  test('a new member goes through all four steps and can log in [R-REG-01] [R-REG-02] [R-REG-04] [R-REG-06]', async ({
    page,
  }) => {
    const phone = newPhone();
    await page.goto('/register');
    await completePhoneStep(page, phone);
    const message = await readNewestSms(phone);
    await expect(page.getByText(message.ref, { exact: true })).toBeVisible();
    await completeCodeStep(page, phone);
    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await expect(page.getByLabel('ชื่อจริง')).toHaveCSS('text-transform', 'uppercase');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await expect(page.getByLabel('นามสกุล')).toHaveCSS('text-transform', 'uppercase');
    // The look-up's banks, without a choice of currency, which only the Lao variant has.
    const { body: banks } = await api<{ code: string }[]>('GET', '/api/lookup/banks');
    const readBankCodes = () =>
      page
        .getByLabel('ธนาคาร', { exact: true })
        .locator('option')
        .evaluateAll((options: HTMLOptionElement[]) => options.map(({ value }) => value).filter(Boolean));
    expect((await readBankCodes()).toSorted()).toEqual(banks.map(({ code }) => code).toSorted());
    await expect(page.getByRole('combobox')).toHaveCount(2);
    await expect(page.getByLabel(translate('register:currency'))).toHaveCount(0);
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 30_000);
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page.getByText('สมัครสมาชิกสำเร็จ')).toBeVisible();
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await page.clock.runFor(1_900);
    await expect(page).toHaveURL(/\/register$/);
    await page.clock.runFor(200);
    await expect(page).toHaveURL(/\/login$/);
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
    const login = await api('POST', '/api/login', { body: { username: phone, password: 'Basket-of-gold-9' } });
    expect(login.status).toBe(200);
    const profileReply = await api('GET', '/api/account/profile', { token: String(login.body['token']) });
    expect(profileReply.body).toMatchObject({ bankAccount: { bankAccountName: 'SOMCHAI THOTSOP', bankCode: 'SCB' } });
  });

  test('a reload during registration keeps the typed values, except the passwords', async ({ page, address }) => {
    const phone = newPhone();
    await verifyPhone(phone, address);
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
    await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
    await page.reload();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await expect(page.getByLabel('รหัสผ่าน', { exact: true })).toHaveValue('');
    await expect(page.getByLabel('รู้จักเราจากที่ไหน')).toHaveValue('FRIEND');
    expect(await page.evaluate(() => JSON.stringify([sessionStorage, localStorage]))).not.toContain('Basket');
  });

  test('every bank field is required, and KTB, TMB and BBL require English letters [R-REG-04] [R-REG-05]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verifyPhone(phone, address);
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await completeProfileStep(page);
    await expect(page.getByRole('heading', { name: 'บัญชีธนาคาร' })).toBeVisible();
    const submitButton = page.getByRole('button', { name: 'สมัครสมาชิก' });
    await submitButton.click();
    for (const text of ['กรุณาเลือกธนาคาร', 'กรุณากรอกเลขที่บัญชี', 'กรุณากรอกชื่อ', 'กรุณากรอกนามสกุล'])
      await expect(page.getByText(text, { exact: true })).toBeVisible();
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('สมชาย');
    await page.getByLabel('นามสกุล').fill('ทดสอบ');
    for (const bank of ['KTB', 'TMB', 'BBL']) {
      await page.getByLabel('ธนาคาร', { exact: true }).selectOption('KBANK');
      await expect(page.getByLabel('ชื่อจริง')).not.toHaveAccessibleDescription(/ภาษาอังกฤษ/);
      // Before anything is sent, at each field that is wrong.
      await page.getByLabel('ธนาคาร', { exact: true }).selectOption(bank);
      for (const label of ['ชื่อจริง', 'นามสกุล'])
        await expect(page.getByLabel(label)).toHaveAccessibleDescription(translate('register:bankNameEnglish'));
      await page.getByLabel('ชื่อจริง').fill('somchai');
      await expect(page.getByLabel('ชื่อจริง')).toHaveAccessibleDescription(translate('register:bankWantsEnglish'));
      await page.getByLabel('ชื่อจริง').fill('สมชาย');
      await page.getByLabel('เลขที่บัญชี').focus();
      await submitButton.click();
      await expect(page.getByLabel('ชื่อจริง')).toBeFocused();
    }
    // Letters and blanks alone: no digits, no signs. Nothing is sent until then.
    let requestCount = 0;
    await page.route('**/api/account', (route) => {
      requestCount += 1;
      return route.fulfill({ status: 409, json: { message: 'EXISTING_BANK' } });
    });
    for (const invalidName of ['somchai2', 'som-chai', 'somchai.']) {
      await page.getByLabel('ชื่อจริง').fill(invalidName);
      await page.getByLabel('นามสกุล').fill('thotsop');
      await submitButton.click();
      await expect(page.getByText(translate('register:bankNameEnglish')), invalidName).toBeVisible();
    }
    expect(requestCount).toBe(0);
    await page.getByLabel('ชื่อจริง').fill('som chai');
    await submitButton.click();
    await expect.poll(() => requestCount).toBe(1);
    await expect(page.getByText(translate('register:bankNameEnglish'))).toHaveCount(0);
    // Any other bank accepts a Thai name.
    await page.getByLabel('ชื่อจริง').fill('สมชาย');
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('KBANK');
    await submitButton.click();
    await expect.poll(() => requestCount).toBe(2);
  });
});

test.describe('registration that the server refuses', () => {
  test('registration with a bank account of another member is refused with an error text [R-NET-04]', async ({
    page,
    address,
  }) => {
    const otherMember = await newMember();
    const phone = newPhone();
    await verifyPhone(phone, address);
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(otherMember.bankAccountNo);
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    const number = page.getByLabel('เลขที่บัญชี');
    await expect(number).toHaveAccessibleDescription(translate('errors:errorMsg.EXISTING_BANK'));
    await expect(number).toBeFocused();
    await expect(page.getByRole('alert')).toHaveCount(1);
  });

  test('when a phone is registered elsewhere during registration, each step returns to its field, and typed values stay', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    const phone = page.getByLabel('เบอร์โทรศัพท์');
    const expectAtPhone = async (): Promise<void> => {
      await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
      await expect(phone).toHaveAccessibleDescription(translate('errors:errorMsg.EXISTING_USER'));
      await expect(phone).toBeFocused();
      await expect(page.locator('[data-toast]')).toHaveCount(0);
    };
    const existingUserReply = { status: 409, json: { message: 'EXISTING_USER' } };
    await page.route('**/api/account/validate', (route) => route.fulfill(existingUserReply), { times: 1 });
    await completeProfileStep(page);
    await expectAtPhone();
    await nextButton(page).click();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await nextButton(page).click();
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.route('**/api/account', (route) => route.fulfill(existingUserReply), { times: 1 });
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expectAtPhone();
    // The wizard reports a withdrawn source at the field of the source.
    await nextButton(page).click();
    await nextButton(page).click();
    const invalidSourceReply = { status: 400, json: { message: 'INVALID_USER_INFO', detail: 'sourceCode' } };
    await page.route('**/api/account', (route) => route.fulfill(invalidSourceReply), { times: 1 });
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    await expect(source).toHaveAccessibleDescription(new RegExp(translate('errors:refused.sourceCode')));
    await expect(source).toBeFocused();
  });

  test('an expired proof of the phone is reported, and the wizard restarts with the typed values', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    await page.route('**/api/account/validate', (route) =>
      route.fulfill({ status: 403, json: { message: 'UNVERIFIED_OTP' } }),
    );
    await completeProfileStep(page);
    await expect(page.getByText('กรุณายืนยันเบอร์โทรศัพท์ด้วยรหัส OTP')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
    await page.unroute('**/api/account/validate');
    await nextButton(page).click();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await nextButton(page).click();
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.route('**/api/account', (route) => route.fulfill({ status: 403, json: { message: 'UNVERIFIED_OTP' } }));
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(page.getByText('กรุณายืนยันเบอร์โทรศัพท์ด้วยรหัส OTP')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
  });

  test('an impossible account number is refused at its field, bank fields survive a reload, and each step has a back button', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    await page.getByRole('button', { name: 'ย้อนกลับ' }).click();
    await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
    await nextButton(page).click();
    await completeProfileStep(page);
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    const number = page.getByLabel('เลขที่บัญชี');
    await number.fill('123');
    await page.getByLabel('ชื่อจริง').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expect(number).toHaveAccessibleDescription(/เลขที่บัญชีไม่ถูกต้อง/);
    await expect(number).toBeFocused();
    await number.fill('๑๒๓๔๕๖๗໘໙໐');
    await page.reload();
    await completeProfileStep(page);
    await expect(page.getByLabel('ธนาคาร', { exact: true })).toHaveValue('SCB');
    await expect(number).toHaveValue('123-456-7890');
    await expect(page.getByLabel('นามสกุล')).toHaveValue('THOTSOP');
  });
});
