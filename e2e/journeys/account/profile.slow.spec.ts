import type { Page } from '@playwright/test';
import { expectNoMessages } from '../../support/home.ts';
import { api, groupAccountNo, newAccountNo, newMember } from '../../support/member.ts';
import { fundWallet } from '../../support/money.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** Ten digits in groups, as the field displays them during typing. */
const groupDigits = (digits: string): string => digits.replace(/^(...)(...)/, '$1-$2-');

/** Expects the success popup with this message, and closes it. */
async function expectSaved(page: Page, expectedText: string): Promise<void> {
  const successDialog = dialogByName(page, translate('common:success'));
  await expect(successDialog).toContainText(translate(expectedText));
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  await buttonByName(successDialog, translate('common:ok')).click();
  await expect(successDialog).toBeHidden();
}

test.describe('profile', () => {
  test('the profile shows the member, a short code to read out, and the bank account, its number grouped as 3-3-rest [R-PROF-01]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    const main = memberPage.getByRole('main');
    const factValueLocator = (name: string) =>
      main
        .locator('dl > div')
        .filter({ has: memberPage.getByRole('term').filter({ hasText: name }) })
        .locator('dd');
    const { body } = await api<{ profile: { createdAt: string; memberCode: string } }>('GET', '/api/account/profile', {
      token: member.token,
    });
    const { createdAt, memberCode } = body.profile;
    await expect(factValueLocator(translate('profile:name'))).toHaveText(member.name);
    await expect(factValueLocator(translate('profile:id'))).toContainText(member.id);
    await expect(factValueLocator(translate('profile:memberCode'))).toContainText(
      `${memberCode.slice(0, 4)}-${memberCode.slice(4)}`,
    );
    const bangkokTime = new Date(Date.parse(createdAt) + 7 * 60 * 60_000).toISOString();
    const [year = '', month = '', day = ''] = bangkokTime.slice(0, 10).split('-');
    await expect(factValueLocator(translate('profile:created'))).toHaveText(
      `${day}/${month}/${year} ${bangkokTime.slice(11, 19)}`,
    );
    const username = main.getByLabel('ชื่อเข้าสู่ระบบ');
    await expect(username).toHaveValue(member.phone);
    await expect(username).toHaveAttribute('readonly', '');
    await expect(main.getByText('SOMYING THOTSOP')).toBeVisible();
    await expect(main.getByText('ธนาคารไทยพาณิชย์')).toBeVisible();
    await expect(main.getByText(groupAccountNo(member.bankAccountNo))).toBeVisible();
    for (const words of ['แก้ไขโปรไฟล์', 'เปลี่ยนรหัสผ่าน']) await expect(main.getByText(words)).toBeVisible();
  });

  test('the profile groups only account numbers of 10 digits, and adds the Thai name of the bank in every language [R-PROF-01]', async ({
    page,
  }) => {
    const bankAccountNo = `0${newAccountNo()}2`;
    await signIn(page, await newMember({ bankCode: 'GSB', bankAccountNo }));
    await page.goto('/user/profile');
    const main = page.getByRole('main');
    await expect(main.getByText(bankAccountNo, { exact: true })).toBeVisible();
    await page.getByRole('banner').getByRole('combobox').selectOption('en');
    await expect(main.getByRole('heading', { level: 1 })).toHaveText(translatorFor('en')('profile:title'));
    await expect(main.getByText('ธนาคารออมสิน', { exact: true })).toBeVisible();
  });

  test('a profile that fails to load hides its loading indicator and shows no error [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    const refusedReply = memberPage.waitForResponse('**/api/account/profile');
    await memberPage.route('**/api/account/profile', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await memberPage.goto('/user/profile');
    await refusedReply;
    await expectNoMessages(memberPage);
    await expect(memberPage.getByText(member.id)).toHaveCount(0);
  });

  test('a password change sends nothing while a field is empty, shows a mismatch or a wrong old password, and then succeeds [R-PROF-02] [R-NET-07]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    let requestCount = 0;
    memberPage.on('request', (request) => (requestCount += request.url().endsWith('/changepwd') ? 1 : 0));
    await memberPage.getByRole('button', { name: 'เปลี่ยนรหัสผ่าน' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'เปลี่ยนรหัสผ่าน' });
    const saveButton = dialog.getByRole('button', { name: 'บันทึก' });
    const passwordFields = {
      'not-the-old-one-1': dialog.getByLabel('รหัสผ่านเดิม'),
      'Another-basket-7': dialog.getByLabel('รหัสผ่านใหม่', { exact: true }),
      'Another-basket-8': dialog.getByLabel('ยืนยันรหัสผ่านใหม่'),
    };
    await saveButton.click();
    for (const emptyField of Object.values(passwordFields)) {
      for (const [text, field] of Object.entries(passwordFields)) await field.fill(field === emptyField ? '' : text);
      await saveButton.click();
      await expect(dialog.getByRole('alert')).toHaveCount(0);
    }
    for (const [text, field] of Object.entries(passwordFields)) await field.fill(text);
    await saveButton.click();
    await expect(dialog.getByRole('alert')).toHaveText('รหัสผ่านไม่ตรงกัน');
    expect(requestCount).toBe(0);
    await dialog.getByLabel('ยืนยันรหัสผ่านใหม่').fill('Another-basket-7');
    await saveButton.click();
    await expect.poll(() => requestCount).toBe(1);
    await expect(dialog.getByRole('alert')).toHaveText(translate('errors:errorMsg.WRONG_PASSWORD'));
    await dialog.getByLabel('รหัสผ่านเดิม').fill(member.password);
    await saveButton.click();
    await expectSaved(memberPage, 'profile:passwordChanged');
    await expect(dialog).toBeHidden();
    const logInReply = await api('POST', '/api/login', {
      body: { username: member.phone, password: 'Another-basket-7' },
    });
    expect(logInReply.status).toBe(200);
  });

  test('an easily guessed new password is refused with an error at its field [R-PROF-02]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เปลี่ยนรหัสผ่าน' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'เปลี่ยนรหัสผ่าน' });
    const fresh = dialog.getByLabel('รหัสผ่านใหม่', { exact: true });
    await dialog.getByLabel('รหัสผ่านเดิม').fill(member.password);
    await fresh.fill('12345678');
    await dialog.getByLabel('ยืนยันรหัสผ่านใหม่').fill('12345678');
    await dialog.getByRole('button', { name: 'บันทึก' }).click();
    await expect(fresh).toHaveAccessibleDescription(/เดาง่ายเกินไป/);
    await expect(dialog.getByRole('alert')).toHaveCount(1);
  });
});

test.describe('editing the profile', () => {
  test('editing the profile sends every field, reports missing ones, and locks the bank account once money has moved [R-PROF-03]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.goto('/user/profile');
    const main = memberPage.getByRole('main');
    await main.getByRole('button', { name: 'แก้ไขโปรไฟล์' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'แก้ไขโปรไฟล์' });
    const saveButton = dialog.getByRole('button', { name: 'บันทึก' });
    const name = dialog.getByLabel('ชื่อที่ใช้แสดง');
    await expect(name).toHaveValue(member.name);
    await expect(dialog.getByLabel('เลขที่บัญชี')).toHaveValue(groupDigits(member.bankAccountNo));
    await name.fill(' ');
    await saveButton.click();
    await expect(dialog.getByText('กรุณากรอกช่องนี้')).toBeVisible();
    await name.fill('นกน้อย');
    await dialog.getByLabel('ธนาคาร', { exact: true }).selectOption('KTB');
    await expect(dialog.getByLabel('ชื่อบัญชี')).toHaveAccessibleDescription(translate('profile:bankWantsEnglish'));
    // Before it is sent.
    await dialog.getByLabel('ชื่อบัญชี').fill('นก ใจดี');
    await expect(dialog.getByText('ชื่อบัญชีธนาคารต้องเป็นภาษาอังกฤษเท่านั้น')).toBeVisible();
    await dialog.getByLabel('ชื่อบัญชี').fill('nok jaidee');
    const bankAccountNo = newAccountNo();
    const accountInThaiDigits = bankAccountNo.replaceAll(/\d/g, (digit) => String.fromCharCode(0x0e50 + Number(digit)));
    await dialog.getByLabel('เลขที่บัญชี').fill(accountInThaiDigits);
    const updateRequest = memberPage.waitForRequest((request) => request.method() === 'PUT');
    await saveButton.click();
    expect((await updateRequest).postDataJSON()).toEqual({
      name: 'นกน้อย',
      bankCode: 'KTB',
      bankAccountName: 'NOK JAIDEE',
      bankAccountNo,
    });
    await expectSaved(memberPage, 'profile:saved');
    await expect(dialog).toBeHidden();
    await expect(main.getByText('นกน้อย')).toBeVisible();
    await expect(main.getByText('NOK JAIDEE')).toBeVisible();
    await expect(main.getByText('ธนาคารกรุงไทย')).toBeVisible();

    await fundWallet(member, 5);
    await memberPage.reload();
    await main.getByRole('button', { name: 'แก้ไขโปรไฟล์' }).click();
    await expect(dialog.getByText('มีเงินเข้าหรือออกแล้ว')).toBeVisible();
    await expect(dialog.getByLabel('เลขที่บัญชี')).toHaveCount(0);
    await name.fill('นกเขา');
    await saveButton.click();
    await expectSaved(memberPage, 'profile:saved');
    await expect(main.getByText('นกเขา')).toBeVisible();
    await expect(main.getByText('NOK JAIDEE')).toBeVisible();
  });

  test('a bank account of another member is refused at its field while editing, and the typed values stay [R-PROF-03]', async ({
    memberPage,
  }) => {
    const otherMember = await newMember();
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'แก้ไขโปรไฟล์' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'แก้ไขโปรไฟล์' });
    await dialog.getByLabel('เลขที่บัญชี').fill(otherMember.bankAccountNo);
    await dialog.getByRole('button', { name: 'บันทึก' }).click();
    const number = dialog.getByLabel('เลขที่บัญชี');
    await expect(number).toHaveAccessibleDescription(translate('errors:errorMsg.EXISTING_BANK'));
    await expect(number).toHaveValue(groupDigits(otherMember.bankAccountNo));
    await dialog.getByRole('button', { name: 'ยกเลิก' }).click();
    await expect(dialog).toBeHidden();
  });

  test('Cancel closes the password dialog and returns the focus [R-PROF-02] [R-ROUTE-12]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    const lock = memberPage.getByRole('button', { name: 'เปลี่ยนรหัสผ่าน' });
    await lock.click();
    await memberPage.getByRole('dialog').getByRole('button', { name: 'ยกเลิก' }).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await expect(lock).toBeFocused();
  });
});

test.describe('the theme', () => {
  const LIGHT_GROUND = 'rgb(251, 246, 238)';
  const DARK_GROUND = 'rgb(21, 10, 20)';
  const expectGround = (page: Page, colour: string) =>
    expect(page.locator('html')).toHaveCSS('background-color', colour);
  const readBarColours = (page: Page) =>
    page.locator('meta[name=theme-color]').evaluateAll((metas) => metas.map((meta) => meta.getAttribute('content')));

  test('the theme chosen in the profile applies after logout too; without a choice, the theme of the system applies [R-WALLET-08]', async ({
    memberPage: page,
    context,
  }) => {
    await page.goto('/user/profile');
    const themeGroup = page.getByRole('radiogroup', { name: translate('profile:theme') });
    const radio = (name: string) => themeGroup.getByRole('radio', { name: translate(`profile:themes.${name}`) });
    await expect(radio('system')).toBeChecked();
    await expectGround(page, LIGHT_GROUND);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectGround(page, DARK_GROUND);
    await radio('light').check();
    await expectGround(page, LIGHT_GROUND);
    expect(await readBarColours(page)).toEqual(['#fbf6ee', '#fbf6ee']);
    const otherPage = await context.newPage();
    await otherPage.emulateMedia({ colorScheme: 'light' });
    await otherPage.goto('/user/howto');
    await radio('dark').check();
    await expectGround(page, DARK_GROUND);
    await expectGround(otherPage, DARK_GROUND);
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await expect(radio('dark')).toBeChecked();
    await expectGround(page, DARK_GROUND);
    expect(await readBarColours(page)).toEqual(['#150a14', '#150a14']);
    await buttonByName(page, translate('common:logout')).click();
    await expect(page).toHaveURL(/\/login/);
    await page.reload();
    await expectGround(page, DARK_GROUND);
  });
});
