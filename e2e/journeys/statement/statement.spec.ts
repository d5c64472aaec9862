import { expectNoMessages, openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { statementEntry } from '../../support/statement-entry.ts';
import { expect, test } from '../../support/test.ts';

test.describe('statement', () => {
  test('a statement that fails to load shows no error and no loader [R-NET-08]', async ({ memberPage }) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route('**/api/statement', async (route) => {
      await released;
      await route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
    });
    const refusedReply = memberPage.waitForResponse('**/api/statement');
    await memberPage.goto('/user/statement');
    await expect(memberPage.getByRole('status', { name: 'กำลังโหลด…' })).toBeVisible();
    release();
    await refusedReply;
    await expect(memberPage.getByRole('status', { name: 'กำลังโหลด…' })).toHaveCount(0);
    await expectNoMessages(memberPage);
  });

  test('an empty statement says so and what to do next [R-STMT-01]', async ({ memberPage }) => {
    await memberPage.goto('/user/statement');
    await expect(memberPage.getByText('ยังไม่มีรายการ')).toBeVisible();
  });

  test('each movement has icon, text, status, time and signed amount, ten per page [R-STMT-01] [R-FMT-01]', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(120_000);
    await fundWallet(member, 1_234.5);
    await openGameAccount(member, 'pg');
    for (let i = 0; i < 60; i += 1) {
      const [from, to] = i % 2 === 0 ? ['WALLET', 'pg'] : ['pg', 'WALLET'];
      await transferMoney(member, from, to, 10);
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
    const readNumbers = async () => (await pages.locator('button').allInnerTexts()).filter(Boolean);
    await expect.poll(readNumbers).toEqual(['1', '2']);
    await pages.getByRole('button', { name: 'หน้าถัดไป' }).click();
    await expect(pages.locator('[aria-current=page]')).toHaveText('2');
    await pages.getByRole('button', { name: 'หน้า 3', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 4', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 5', exact: true }).click();
    await expect(pages.locator('[aria-current=page]')).toHaveText('5');
    await expect.poll(readNumbers).toEqual(['2', '3', '4', '5', '6']);
    await pages.getByRole('button', { name: 'หน้า 6', exact: true }).click();
    await pages.getByRole('button', { name: 'หน้า 7', exact: true }).click();
    await expect(rows).toHaveCount(1);
    await expect(rows.first()).toContainText('ฝากเงินผ่าน KBANK');
    await expect(rows.first().getByText('+1,234.50')).toBeVisible();
  });
});

test.describe('pages and words of the statement', () => {
  test("movements are shown once the names of games have loaded, never with a game's code [R-STMT-01]", async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 10);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet', async (route) => {
      await released;
      await route.continue();
    });
    const statement = memberPage.waitForResponse('**/api/statement');
    await memberPage.goto('/user/statement');
    await statement;
    await expect(memberPage.getByRole('status', { name: 'กำลังโหลด…' })).toBeVisible();
    const rows = memberPage.getByRole('list', { name: /รายการ/ }).getByRole('listitem');
    await expect(rows).toHaveCount(0);
    release();
    await expect(rows.first()).toContainText('โยกจาก กระเป๋า ไป PG SLOT');
  });

  test('a statement page that fails to load leaves the previous page and pager without an error, and can be opened again [R-NET-08]', async ({
    memberPage,
  }) => {
    const entryOf = (number: number) => ({
      _id: String(number),
      statementType: 'deposit',
      status: 'SUCCESS',
      from: 'KBANK',
      to: 'WALLET',
      amount: number,
      requested: number,
      balance: number,
      reference: `R${number}`,
      reason: null,
      createdAt: new Date().toISOString(),
    });
    let isDown = true;
    await memberPage.route('**/api/statement', (route) => {
      const { page } = route.request().postDataJSON() as { page: number };
      if (page > 1 && isDown) return route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
      const statements = Array.from({ length: 10 }, (_, i) => entryOf(page * 100 + i));
      return route.fulfill({ json: { total: 30, statements } });
    });
    await memberPage.goto('/user/statement');
    const rows = memberPage.getByRole('list', { name: /รายการ/ }).getByRole('listitem');
    await expect(rows.first()).toContainText('+100.00');
    const pages = memberPage.getByRole('navigation', { name: 'เลือกหน้า' });
    const second = pages.getByRole('button', { name: 'หน้า 2', exact: true });
    const failedReply = memberPage.waitForResponse((response) => response.status() === 500);
    await second.click();
    await failedReply;
    await expect(pages.locator('[aria-current=page]')).toHaveText('1');
    await expect(rows).toHaveCount(10);
    await expect(rows.first()).toContainText('+100.00');
    await expect(memberPage.locator('[data-toast], [role=alert]')).toHaveCount(0);
    isDown = false;
    await second.click();
    await expect(rows.first()).toContainText('+200.00');
    const nextButton = pages.getByRole('button', { name: 'หน้าถัดไป' });
    await nextButton.click();
    await expect(rows.first()).toContainText('+300.00');
    // On the last page the "next" button is disabled; keyboard focus stays there.
    await expect(nextButton).toBeDisabled();
    await expect(nextButton).toBeFocused();
    await second.click();
    await expect(rows.first()).toContainText('+200.00');
    await expect(pages.locator('[aria-current=page]')).toHaveText('2');
    await pages.getByRole('button', { name: 'หน้า 1', exact: true }).click();
    await expect(rows.first()).toContainText('+100.00');
  });

  test("ages of movements and of the last check follow the server's clock, not the phone's [R-FMT-01]", async ({
    memberPage,
    member,
  }) => {
    const AHEAD_MS = 3 * 60 * 60_000;
    await fundWallet(member, 20);
    await memberPage.clock.install({ time: Date.now() + AHEAD_MS });
    await openHome(memberPage);
    const checkedAt = await memberPage.getByRole('main').locator('time').first().getAttribute('datetime');
    expect(Math.abs(Date.parse(checkedAt ?? '') - Date.now())).toBeLessThan(AHEAD_MS / 2);
    await memberPage.goto('/user/statement');
    const row = memberPage
      .getByRole('list', { name: /รายการ/ })
      .getByRole('listitem')
      .first();
    await expect(row.locator('time')).toHaveText(/เมื่อสักครู่|\d+ นาทีที่แล้ว/);
  });

  test('a row shows source and target of its money, and why a payout failed [R-STMT-01]', async ({ memberPage }) => {
    const payout = { statementType: 'withdraw', from: 'WALLET', amount: -100 };
    const statements = [
      statementEntry(1, {}),
      statementEntry(2, { from: 'bank:SCB' }),
      statementEntry(3, { from: 'WALLET_APP' }),
      statementEntry(4, { from: 'BANK' }),
      statementEntry(5, { ...payout, to: 'GSB' }),
      statementEntry(6, { ...payout, to: 'SCB', status: 'FAILED', amount: 0, reason: 'NAME_MISMATCH' }),
      statementEntry(7, { ...payout, to: 'payout:SCB-4680001234', status: 'FAILED', amount: 0, reason: 'A_NEW_ONE' }),
    ];
    await memberPage.route('**/api/statement', (route) => route.fulfill({ json: { total: 7, statements } }));
    await memberPage.goto('/user/statement');
    const rows = memberPage.getByRole('list', { name: /รายการ/ }).getByRole('listitem');
    await expect(rows).toContainText([
      'ฝากเงินผ่าน KBANK',
      'ฝากเงินเข้าบัญชี SCB',
      'ฝากเงินจากแอปวอลเล็ต',
      'ฝากเงินจากธนาคาร',
      'ถอนเงินเข้าบัญชีธนาคาร GSB',
      'ชื่อบัญชีไม่ตรงกับข้อมูลของธนาคาร',
      'ธนาคารโอนให้ไม่ได้',
    ]);
    await expect(rows.filter({ hasText: /100\.00\s*เงินไม่ได้ย้าย/ })).toHaveCount(2);
    // The balance of a returned payout would not follow from its neighbours.
    const balance = 'คงเหลือ';
    await expect(rows.filter({ hasText: balance })).toHaveCount(5);
    // Each kind of deposit and a payout has its own icon; two of these deposits came by a bank.
    const pictures = await rows.evaluateAll((elements) =>
      elements.map((row) => row.querySelector('path')?.getAttribute('d')),
    );
    expect(new Set(pictures.slice(0, 5)).size).toBe(4);
  });
});
