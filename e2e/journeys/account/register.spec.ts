import { api, newAccountNo, newMember, newPhone } from '../../support/member.ts';
import { newestCode } from '../../support/outside.ts';
import { atProfile, codeStep, next, phoneStep, profileStep, verify } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

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
    await expect(page.getByLabel('นามสกุล')).toHaveCSS('text-transform', 'uppercase');
    // The banks of the look-up, and no choice of a currency: that is the Lao variant's.
    const { body: banks } = await api<{ code: string }[]>('GET', '/api/lookup/banks');
    const codes = () =>
      page
        .getByLabel('ธนาคาร', { exact: true })
        .locator('option')
        .evaluateAll((options: HTMLOptionElement[]) => options.map(({ value }) => value).filter(Boolean));
    expect((await codes()).toSorted()).toEqual(banks.map(({ code }) => code).toSorted());
    await expect(page.getByRole('combobox')).toHaveCount(2);
    await expect(page.getByLabel(say('register:currency'))).toHaveCount(0);
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
    const profile = await api('GET', '/api/account/profile', { token: String(login.body['token']) });
    expect(profile.body).toMatchObject({ bankAccount: { bankAccountName: 'SOMCHAI THOTSOP', bankCode: 'SCB' } });
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
      await expect(page.getByText(say('register:bankNameEnglish'))).toBeVisible();
    }
    // Letters and blanks alone: no digits, no signs. Nothing is sent until then.
    let sent = 0;
    await page.route('**/api/account', (route) => {
      sent += 1;
      return route.fulfill({ status: 409, json: { message: 'EXISTING_BANK' } });
    });
    for (const wrong of ['somchai2', 'som-chai', 'somchai.']) {
      await page.getByLabel('ชื่อเจ้าของบัญชี').fill(wrong);
      await page.getByLabel('นามสกุล').fill('thotsop');
      await submit.click();
      await expect(page.getByText(say('register:bankNameEnglish')), wrong).toBeVisible();
    }
    expect(sent).toBe(0);
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('som chai');
    await submit.click();
    await expect.poll(() => sent).toBe(1);
    await expect(page.getByText(say('register:bankNameEnglish'))).toHaveCount(0);
    // At any other bank a Thai name is right.
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('สมชาย');
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('KBANK');
    await submit.click();
    await expect.poll(() => sent).toBe(2);
  });
});

test.describe('registration that the server refuses', () => {
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
    const number = page.getByLabel('เลขที่บัญชี');
    await expect(number).toHaveAccessibleDescription(say('errors:errorMsg.EXISTING_BANK'));
    await expect(number).toBeFocused();
    await expect(page.getByRole('alert')).toHaveCount(1);
  });

  test('a phone that a member has by now is refused at its field, from whichever step; what was typed stays', async ({
    page,
    address,
  }) => {
    await atProfile(page, address);
    const phone = page.getByLabel('เบอร์โทรศัพท์');
    const expectAtPhone = async (): Promise<void> => {
      await expect(page.getByRole('heading', { name: 'เบอร์โทรศัพท์' })).toBeVisible();
      await expect(phone).toHaveAccessibleDescription(say('errors:errorMsg.EXISTING_USER'));
      await expect(phone).toBeFocused();
      await expect(page.locator('[data-toast]')).toHaveCount(0);
    };
    const taken = { status: 409, json: { message: 'EXISTING_USER' } };
    await page.route('**/api/account/validate', (route) => route.fulfill(taken), { times: 1 });
    await profileStep(page);
    await expectAtPhone();
    await next(page).click();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await next(page).click();
    await page.getByLabel('ธนาคาร', { exact: true }).selectOption('SCB');
    await page.getByLabel('เลขที่บัญชี').fill(newAccountNo());
    await page.getByLabel('ชื่อเจ้าของบัญชี').fill('somchai');
    await page.getByLabel('นามสกุล').fill('thotsop');
    await page.route('**/api/account', (route) => route.fulfill(taken), { times: 1 });
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    await expectAtPhone();
    // A source that is offered no more is refused where it was chosen.
    await next(page).click();
    await next(page).click();
    const gone = { status: 400, json: { message: 'INVALID_USER_INFO', detail: 'sourceCode' } };
    await page.route('**/api/account', (route) => route.fulfill(gone), { times: 1 });
    await page.getByRole('button', { name: 'สมัครสมาชิก' }).click();
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    await expect(source).toHaveAccessibleDescription(new RegExp(say('errors:refused.sourceCode')));
    await expect(source).toBeFocused();
  });

  test('an expired proof of the phone is reported, and the wizard restarts with all that was typed', async ({
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

  test('an impossible account number is refused at its field; what was typed of the bank survives a reload, and each step has a way back', async ({
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
    await expect(number).toHaveAccessibleDescription(/เลขที่บัญชีไม่ถูกต้อง/);
    await expect(number).toBeFocused();
    await number.fill('๑๒๓๔๕๖๗໘໙໐');
    await page.reload();
    await profileStep(page);
    await expect(page.getByLabel('ธนาคาร', { exact: true })).toHaveValue('SCB');
    await expect(number).toHaveValue('123-456-7890');
    await expect(page.getByLabel('นามสกุล')).toHaveValue('THOTSOP');
  });
});
