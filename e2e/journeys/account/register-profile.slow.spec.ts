import { api, newPhone } from '../../support/member.ts';
import {
  openProfileStep,
  nextButton,
  completePhoneStep,
  completeProfileStep,
  verifyPhone,
} from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

test.describe('step 3 of registration', () => {
  test('step 3 focuses the first empty field without an error text, and reports passwords that differ [R-REG-02]', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    let validationCount = 0;
    page.on('request', (request) => (validationCount += request.url().endsWith('/api/account/validate') ? 1 : 0));
    const name = page.getByLabel('ชื่อที่ใช้แสดง');
    const password = page.getByLabel('รหัสผ่าน', { exact: true });
    const confirmationField = page.getByLabel('ยืนยันรหัสผ่าน');
    const fields = [name, password, confirmationField];
    for (const emptyField of [name, password, confirmationField]) {
      await name.fill('สมชาย');
      await password.fill('Basket-of-gold-9');
      await confirmationField.fill('Basket-of-gold-9');
      await emptyField.fill('');
      await nextButton(page).click();
      await expect(emptyField).toBeFocused();
      await expect(page.getByRole('alert')).toHaveCount(0);
    }
    for (const field of fields) await field.fill('');
    await nextButton(page).click();
    await expect(name).toBeFocused();
    await name.fill('สมชาย');
    await password.fill('Basket-of-gold-9');
    await confirmationField.fill('Basket-of-gold-8');
    await nextButton(page).click();
    await expect(confirmationField).toHaveAccessibleDescription(translate('register:passwordMismatch'));
    await expect(password).not.toHaveAttribute('aria-invalid');
    await password.fill('1234');
    await confirmationField.fill('4321');
    await nextButton(page).click();
    await expect(confirmationField).toHaveAccessibleDescription(translate('register:passwordMismatch'));
    await expect(password).toHaveAttribute('aria-invalid', 'true');
    await expect(password).toHaveAccessibleDescription(translate('register:passwordHint'));
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
    expect(validationCount).toBe(0);
  });

  test('the first empty field of step 3 scrolls into view below the bar, with its label', async ({ page, address }) => {
    await openProfileStep(page, address);
    await nextButton(page).scrollIntoViewIfNeeded();
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await nextButton(page).click();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toBeFocused();
    const bannerBox = await page.getByRole('banner').boundingBox();
    const label = await page.getByText('ชื่อที่ใช้แสดง', { exact: true }).boundingBox();
    expect(label?.y).toBeGreaterThanOrEqual((bannerBox?.y ?? 0) + (bannerBox?.height ?? 0));
  });

  test('step 3 does not continue without a phone, and shows no error [R-REG-02]', async ({ page }) => {
    let validationCount = 0;
    page.on('request', (request) => (validationCount += request.url().endsWith('/api/account/validate') ? 1 : 0));
    await page.goto('/icon.svg');
    await page.evaluate(() =>
      sessionStorage.setItem(
        'registration',
        JSON.stringify({
          step: 'profile',
          phone: '',
          profile: { name: '', password: '', confirmPassword: '', sourceCode: '', inviteCode: '' },
          bank: { bankCode: '', accountNo: '', firstName: '', lastName: '', currency: 'BAHT' },
        }),
      ),
    );
    await page.goto('/register');
    await completeProfileStep(page);
    await expect(page.getByRole('heading', { name: 'ข้อมูลของคุณ' })).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
    expect(validationCount).toBe(0);
  });

  test('step 3 continues only when the server accepts the data, also without a source [R-REG-02]', async ({
    page,
    address,
  }) => {
    await openProfileStep(page, address);
    const bank = page.getByRole('heading', { name: 'บัญชีธนาคาร' });
    const requestBodies: unknown[] = [];
    const { promise: lookupReleased, resolve: releaseLookup } = Promise.withResolvers<void>();
    await page.route('**/api/account/validate', async (route) => {
      requestBodies.push(route.request().postDataJSON());
      await lookupReleased;
      if (requestBodies.length > 1) return route.continue();
      await route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
    });
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
    await page.getByLabel('ยืนยันรหัสผ่าน').fill('Basket-of-gold-9');
    await nextButton(page).click();
    await expect.poll(() => requestBodies.length).toBe(1);
    expect(requestBodies[0]).toMatchObject({ name: 'สมชาย ทดสอบ', sourceCode: '' });
    await expect(bank).toHaveCount(0);
    releaseLookup();
    await expect(page.getByRole('alert')).toBeVisible();
    await expect(bank).toHaveCount(0);
    await nextButton(page).click();
    await expect(bank).toBeVisible();
  });
});

test.describe('invite code, password and lists in step 3', () => {
  test('an unknown invite code is reported without stopping the registration; a known short code is accepted silently [R-REG-02]', async ({
    page,
    address,
    member,
  }) => {
    const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/account/profile', {
      token: member.token,
    });
    const code = body.profile.memberCode;
    await openProfileStep(page, address);
    const field = page.getByLabel('รหัสผู้แนะนำ (ถ้ามี)');
    const sideNote = page.getByRole('note');
    await field.fill('ZZZZ-ZZZZ');
    await completeProfileStep(page);
    await expect(sideNote).toHaveText(translate('register:inviterUnknown', { code: 'ZZZZ-ZZZZ' }));
    await expect(page.getByRole('alert')).toHaveCount(0);
    await expect(page.getByRole('button', { name: 'สมัครสมาชิก' })).toBeEnabled();
    await page.getByRole('button', { name: 'ย้อนกลับ' }).click();
    await expect(field).toHaveValue('ZZZZ-ZZZZ');
    await field.fill(` ${code.slice(0, 4).toLowerCase()} ${code.slice(4)}`);
    await completeProfileStep(page);
    await expect(page.getByRole('heading', { name: 'บัญชีธนาคาร' })).toBeVisible();
    await expect(sideNote).toHaveCount(0);
  });

  test('the invite code is read from the address and kept for the next visit [R-REG-03] [R-KEY-01]', async ({
    page,
    address,
  }) => {
    const phone = newPhone();
    await verifyPhone(phone, address);
    await page.goto('/register?code=PRabc123');
    await expect.poll(() => page.evaluate(() => localStorage.getItem('invite code'))).toBe('PRabc123');
    await page.goto('/register');
    await completePhoneStep(page, phone);
    await expect(page.getByLabel('รหัสผู้แนะนำ (ถ้ามี)')).toHaveValue('PRabc123');
  });

  test('an easily guessed password, and a source that is no longer offered, are each refused at their field [R-REG-02]', async ({
    page,
    address,
  }) => {
    await page.route('**/api/lookup/sources', async (route) => {
      const response = await route.fetch();
      const offeredSources = (await response.json()) as unknown[];
      await route.fulfill({ response, json: [...offeredSources, { code: 'GONE', description: 'ป้ายโฆษณา' }] });
    });
    await openProfileStep(page, address);
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    // The loaded list replaces the empty one and keeps the focus.
    const { body: sources } = await api<{ code: string; description: string }[]>('GET', '/api/lookup/sources');
    await expect(source.getByRole('option')).toHaveText([
      translate('register:chooseSource'),
      ...sources.map(({ description }) => description),
      'ป้ายโฆษณา',
    ]);
    await source.selectOption('GONE');
    const password = page.getByLabel('รหัสผ่าน', { exact: true });
    const confirmationField = page.getByLabel('ยืนยันรหัสผ่าน');
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await password.fill('12345678');
    await confirmationField.fill('12345678');
    await nextButton(page).click();
    await expect(password).toHaveAccessibleDescription(new RegExp(translate('errors:refused.password')));
    await expect(password).toBeFocused();
    await expect(page.getByRole('alert')).toHaveCount(1);
    await password.fill('Basket-of-gold-9');
    await expect(page.getByRole('alert')).toHaveCount(0);
    await confirmationField.fill('Basket-of-gold-9');
    await nextButton(page).click();
    await expect(source).toHaveAccessibleDescription(new RegExp(translate('errors:refused.sourceCode')));
    await expect(source).toBeFocused();
    await source.selectOption('FRIEND');
    await nextButton(page).click();
    await expect(page.getByRole('heading', { name: 'บัญชีธนาคาร' })).toBeVisible();
  });

  test('lists of sources and banks that failed to load can be requested again', async ({ page, address }) => {
    const lists = /lookup\/(sources|banks)$/;
    await page.route(lists, (route) => route.abort());
    await openProfileStep(page, address);
    const source = page.getByLabel('รู้จักเราจากที่ไหน');
    await expect(source).toHaveAccessibleDescription(/ติดต่อเซิร์ฟเวอร์ไม่ได้/);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await expect(source.getByRole('option')).not.toHaveCount(1);
    await expect(page.getByRole('alert')).toHaveCount(0);
    await page.route(lists, (route) => route.abort());
    await completeProfileStep(page);
    const bank = page.getByLabel('ธนาคาร', { exact: true });
    await expect(bank).toHaveAccessibleDescription(/ติดต่อเซิร์ฟเวอร์ไม่ได้/);
    await page.unroute(lists);
    await page.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
    await bank.selectOption('SCB');
  });
});
