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

  test('says where money came from and went to, and why a withdrawal failed [R-STMT-01]', async ({ memberPage }) => {
    const line = (number: number, changes: object) => ({
      _id: String(number),
      statementType: 'deposit',
      status: 'SUCCESS',
      from: 'KBANK',
      to: 'WALLET',
      amount: 100,
      requested: 100,
      reference: `R${number}`,
      reason: null,
      createdAt: new Date().toISOString(),
      ...changes,
    });
    const out = { statementType: 'withdraw', from: 'WALLET', amount: -100 };
    const statements = [
      line(1, {}),
      line(2, { from: 'bank:SCB' }),
      line(3, { from: 'WALLET_APP' }),
      line(4, { from: 'BANK' }),
      line(5, { ...out, to: 'GSB' }),
      line(6, { ...out, to: 'SCB', status: 'FAILED', amount: 0, reason: 'NAME_MISMATCH' }),
      line(7, { ...out, to: 'payout:SCB-4680001234', status: 'FAILED', amount: 0, reason: 'A_NEW_ONE' }),
    ];
    await memberPage.route('**/api/statement', (route) => route.fulfill({ json: { total: 7, statements } }));
    await memberPage.goto('/user/statement');
    const rows = memberPage.getByRole('list', { name: /รายการ/ }).getByRole('listitem');
    await expect(rows).toContainText([
      'ฝากเงินผ่าน KBANK',
      'โอนเข้าบัญชี SCB',
      'เติมเงินจากแอปวอลเล็ต',
      'โอนเงินจากธนาคาร',
      'ถอนเงินเข้าบัญชีธนาคาร GSB',
      'ชื่อบัญชีไม่ตรงกับที่ธนาคารมี',
      'ธนาคารโอนให้ไม่ได้',
    ]);
    // Each kind of deposit, and a withdrawal, has a picture of its own; two of these came by a bank.
    const pictures = await rows.evaluateAll((all) => all.map((row) => row.querySelector('path')?.getAttribute('d')));
    expect(new Set(pictures.slice(0, 5)).size).toBe(4);
  });
});
