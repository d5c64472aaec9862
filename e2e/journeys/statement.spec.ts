import { fund, openGame, transfer } from '../support/money.ts';
import { expect, test } from '../support/test.ts';

test.describe('statement', () => {
  test('an empty statement says so and what to do [R-STMT-01]', async ({ memberPage }) => {
    await memberPage.goto('/user/statement');
    await expect(memberPage.getByText('ยังไม่มีรายการ')).toBeVisible();
  });

  test('each movement has icon, words, status, time and signed amount, ten a page [R-STMT-01] [R-FMT-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 1_234.5);
    await openGame(member, 'pg');
    for (let i = 0; i < 60; i += 1) {
      const [from, to] = i % 2 === 0 ? ['WALLET', 'pg'] : ['pg', 'WALLET'];
      expect((await transfer(member, from, to, 10)).status).toBe(200);
    }
    await memberPage.goto('/user/statement');
    const rows = memberPage.getByRole('list', { name: /รายการ/ }).getByRole('listitem');
    await expect(rows).toHaveCount(10);
    const row = rows.first();
    await expect(row.locator('svg').first()).toBeVisible();
    await expect(row).toContainText(/โยกจาก PG.* ไป กระเป๋า/);
    await expect(row).toContainText(/\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d/);
    await expect(row.locator('time')).toHaveText(/เมื่อสักครู่|\d+ นาทีที่แล้ว/);
    await expect(row.getByText('+10.00')).toBeVisible();
    await expect(row.locator('[data-status=SUCCESS]')).toHaveText('สำเร็จ');
    await expect(rows.nth(1).getByText('−10.00')).toBeVisible();

    const pages = memberPage.getByRole('navigation', { name: 'เลือกหน้า' });
    const numbers = async () => (await pages.locator('button').allInnerTexts()).filter(Boolean);
    expect(await numbers()).toEqual(['1', '2']);
    await pages.getByRole('button', { name: 'หน้าถัดไป' }).click();
    await expect(pages.locator('[aria-current=page]')).toHaveText('2');
    await pages.getByRole('button', { name: 'หน้า 3', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 4', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 5', exact: true }).click();
    await expect(pages.locator('[aria-current=page]')).toHaveText('5');
    expect(await numbers()).toEqual(['2', '3', '4', '5', '6']);
    await pages.getByRole('button', { name: 'หน้า 6', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 7', exact: true }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText('ฝากเงินผ่าน KBANK');
    await expect(rows.first().getByText('+1,234.50')).toBeVisible();
  });
});
