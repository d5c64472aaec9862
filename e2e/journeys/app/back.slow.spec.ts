import type { Page } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { newMember, newPhone } from '../../support/member.ts';
import { fundWallet } from '../../support/money.ts';
import { readNewestSms } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name });
const nextButton = (page: Page) => page.getByRole('button', { name: 'ถัดไป' });
const historyMarker = (page: Page): Promise<unknown> => page.evaluate(() => history.state?.within);

test.describe('the Back button of a phone', () => {
  test('Back closes the open dialog and does not leave the page', async ({ memberPage: page }) => {
    await page.goto('/user/profile');
    await openHome(page);
    const deposit = page.getByRole('dialog', { name: 'ฝากเงิน' });
    for (let round = 0; round < 2; round += 1) {
      await page.getByRole('button', { name: 'ฝากเงิน' }).click();
      await expect(deposit).toBeVisible();
      await expect.poll(() => historyMarker(page)).toBe(true);
      await page.goBack();
      await expect(deposit).toBeHidden();
      await expect(page).toHaveURL(/\/user\/home$/);
    }
    await page.getByRole('button', { name: 'ฝากเงิน' }).click();
    await expect.poll(() => historyMarker(page)).toBe(true);
    await page.keyboard.press('Escape');
    await expect(deposit).toBeHidden();
    await page.goBack();
    await expect(page).toHaveURL(/\/user\/profile$/);
  });

  test('after a reload with an open dialog, that dialog adds no extra step to the Back button', async ({
    memberPage: page,
  }) => {
    await page.goto('/user/profile');
    await openHome(page);
    await page.getByRole('button', { name: 'ฝากเงิน' }).click();
    await expect.poll(() => historyMarker(page)).toBe(true);
    await page.reload();
    await expect(page.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(/\/user\/profile$/);
  });

  test('the Back button returns to the previous registration step, and keeps the typed values and the sent SMS code', async ({
    page,
  }) => {
    const phone = newPhone();
    await page.goto('/login');
    await page.getByRole('navigation').getByRole('link', { name: 'สมัคร' }).click();
    await expect(heading(page, 'เบอร์โทรศัพท์')).toBeVisible();
    await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
    await nextButton(page).click();
    await expect(heading(page, 'ยืนยันรหัส OTP')).toBeVisible();
    const { code, ref } = await readNewestSms(phone);
    await expect.poll(() => historyMarker(page)).toBe(true);
    await page.goBack();
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(phone);
    await nextButton(page).click();
    await expect(page.getByText(ref, { exact: true })).toBeVisible();
    await page.getByLabel('รหัส OTP').fill(code);
    await expect(heading(page, 'ข้อมูลของคุณ')).toBeVisible();
    await page.getByLabel('ชื่อที่ใช้แสดง').fill('สมชาย ทดสอบ');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('Basket-of-gold-9');
    await page.getByLabel('ยืนยันรหัสผ่าน').fill('Basket-of-gold-9');
    await page.getByLabel('รู้จักเราจากที่ไหน').selectOption('FRIEND');
    await nextButton(page).click();
    await expect(heading(page, 'บัญชีธนาคาร')).toBeVisible();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await page.getByLabel('เลขที่บัญชี').fill('1234567890');
    await expect.poll(() => historyMarker(page)).toBe(true);
    await page.goBack();
    await expect(page.getByLabel('ชื่อที่ใช้แสดง')).toHaveValue('สมชาย ทดสอบ');
    await nextButton(page).click();
    await expect(page.getByLabel('เลขที่บัญชี')).toHaveValue('123-456-7890');
    await expect(page).toHaveURL(/\/register$/);
  });
});

test.describe('more than one tab', () => {
  test('logout in one tab clears balances in the others', async ({ memberPage: page, context }) => {
    await openHome(page);
    const otherPage = await context.newPage();
    await otherPage.goto('/user/statement');
    await otherPage.getByRole('button', { name: 'ออกจากระบบ' }).click();
    await expect(otherPage).toHaveURL(/\/login$/);
    await expect(page).toHaveURL(/\/login/);
    await expect(page.getByText('ยอดเงินทั้งหมด')).toBeHidden();
  });

  test('login of another member in one tab clears balances in the others', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fundWallet(member, 250);
    await openHome(page);
    await expect(page.getByText('250.00').first()).toBeVisible();
    // Without replies, the test shows that logging out clears the pages.
    await page.route('**/api/**', () => undefined);
    const nextMember = await newMember();
    // A frozen tab is notified of logout and login together.
    await signIn(await context.newPage(), nextMember);
    await expect(page.getByText('250.00')).toHaveCount(0);
    await expect(page).toHaveURL(/\/user\/home$/);
  });
});

test.describe('on the smallest phone', () => {
  test.use({ viewport: { width: 320, height: 640 } });

  test('no content of the profile overflows its edge on the smallest phone', async ({ memberPage: page, member }) => {
    await page.goto('/user/profile');
    const definitions = page.getByRole('definition');
    await expect(definitions.filter({ hasText: member.id })).toBeVisible();
    for (const definition of await definitions.all()) {
      const [content, room] = await definition.evaluate((element) => [element.scrollWidth, element.clientWidth]);
      expect(content).toBeLessThanOrEqual(room ?? 0);
    }
  });
});
