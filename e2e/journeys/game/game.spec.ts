import type { Locator } from '@playwright/test';
import {
  dialogAmount,
  readGameCredentials,
  openGameFromHome,
  openGameDialog,
  openGameWithOptions,
  openAccountOption,
  openMoreOptions,
} from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { readGamePlayer } from '../../support/simulators.ts';
import { expect, WITH_MOTION, test } from '../../support/test.ts';

const dialogButton = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true });
const amountField = (dialog: Locator) => dialog.getByLabel('โยกเงินเข้าเกมก่อนเล่น (ไม่บังคับ)');

/** For events: the socket opens when the page is idle, and retries every five seconds. */
const BALANCE_TIMEOUT = { timeout: 30_000 };

test.use(WITH_MOTION);

test.describe('game account', () => {
  test('a game account can be opened, its login viewed and copied, and its password changed; the balances follow [R-GAME-01]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await fundWallet(member, 100);
    const dialog = await openGameFromHome(memberPage, 'pg');
    const finishedCalls: string[] = [];
    const countFinished = (path: string) =>
      finishedCalls.includes(path) ? finishedCalls.slice(finishedCalls.indexOf(path) + 1) : [];
    memberPage.on('requestfinished', (request) => finishedCalls.push(new URL(request.url()).pathname));
    await (await openAccountOption(dialog)).click();
    const accountRegion = dialog.getByRole('region', { name: 'บัญชีเกม' });
    await expect(accountRegion).toBeVisible();
    await expect.poll(() => countFinished('/api/wallet/activate/pg')).toContain('/api/wallet/account/pg');
    const first = (await readGameCredentials(member, 'pg')).body;
    await expect(accountRegion).toContainText(first.username);
    await expect(accountRegion).toContainText(first.password);

    await dialogButton(dialog, 'คัดลอก ชื่อผู้ใช้').click();
    const copiedToast = dialog.locator('[data-toast]', { hasText: `คัดลอกแล้ว: ${first.username}` });
    await expect(copiedToast).toBeVisible();
    await expectFullyVisible(memberPage, { close: dialog.locator('header').getByRole('button') });
    expect(await memberPage.evaluate(() => navigator.clipboard.readText())).toBe(first.username);
    await dialogButton(dialog, 'คัดลอก รหัสผ่าน').click();
    await expect.poll(() => memberPage.evaluate(() => navigator.clipboard.readText())).toBe(first.password);

    finishedCalls.length = 0;
    await dialogButton(dialog, 'ตั้งรหัสผ่านใหม่').click();
    await expect(accountRegion).not.toContainText(first.password);
    await expect.poll(() => countFinished('/api/wallet/resetpassword/pg')).toContain('/api/wallet/account/pg');
    const second = (await readGameCredentials(member, 'pg')).body;
    expect(second.username).toBe(first.username);
    expect(second.password).not.toBe(first.password);
    await expect(accountRegion).toContainText(second.password);

    await amountField(dialog).fill('40');
    await dialogButton(dialog, 'โยกอย่างเดียว').click();
    await expect(dialogAmount(dialog, '40.00')).toBeVisible();
    await expect(dialog).toContainText('ในกระเป๋ามี ฿60.00');
    await memberPage.keyboard.press('Escape');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿40.00' })).toBeVisible();

    await memberPage.reload();
    await memberPage.getByRole('button', { name: /^PG SLOT / }).click();
    await expect(accountRegion).toHaveCount(0);
    await openMoreOptions(dialog);
    await dialogButton(dialog, 'ดูชื่อผู้ใช้และรหัสผ่าน').click();
    await expect(accountRegion).toContainText(second.password);
  });

  test('a new game password is shown from its own reply, even if the login cannot be loaded again', async ({
    memberPage,
    member,
  }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameWithOptions(memberPage, 'pg');
    await dialogButton(dialog, 'ดูชื่อผู้ใช้และรหัสผ่าน').click();
    const accountRegion = dialog.getByRole('region', { name: 'บัญชีเกม' });
    const { password } = (await readGameCredentials(member, 'pg')).body;
    await expect(accountRegion).toContainText(password);
    await memberPage.route('**/api/wallet/account/pg', (route) => route.abort());
    const resetReply = memberPage.waitForResponse('**/api/wallet/resetpassword/pg');
    await dialogButton(dialog, 'ตั้งรหัสผ่านใหม่').click();
    const second = (await (await resetReply).json()) as { password: string };
    expect(second.password).not.toBe(password);
    await expect(accountRegion).toContainText(second.password);
  });

  test('a transfer needs an amount above 0; Play transfers the amount first, and without one only opens the game [R-GAME-03]', async ({
    memberPage,
    member,
    context,
  }) => {
    await fundWallet(member, 90);
    const { username } = await openGameAccount(member, 'pg');
    const dialog = await openGameWithOptions(memberPage, 'pg');
    const sentCommands: string[] = [];
    memberPage.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/api\/(wallet\/transfer|autoLogin)/.test(pathname)) sentCommands.push(pathname);
    });
    for (const emptyAmount of ['', '0', '0.00']) {
      await amountField(dialog).fill(emptyAmount);
      await expect(dialogButton(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    }
    for (const emptyAmount of ['', '0.00']) {
      await amountField(dialog).fill(emptyAmount);
      const [gamePage] = await Promise.all([context.waitForEvent('page'), dialogButton(dialog, 'เข้าเล่น').click()]);
      await expect(gamePage.getByText('เครดิต', { exact: true })).toBeVisible();
      expect(sentCommands).toEqual([`/api/autoLogin/pg/${username}`]);
      expect((await readWallet(member)).wallet.amount).toBe(90);
      await gamePage.close();
      sentCommands.length = 0;
    }
    await amountField(dialog).fill('35.5');
    await expect(dialogButton(dialog, 'โยกอย่างเดียว')).toBeEnabled();
    const [game] = await Promise.all([context.waitForEvent('page'), dialogButton(dialog, 'โยกแล้วเข้าเล่น').click()]);
    await expect(game.getByText('35.50')).toBeVisible();
    expect(sentCommands).toEqual(['/api/wallet/transfer', `/api/autoLogin/pg/${username}`]);
    expect((await readWallet(member)).wallet.amount).toBe(54.5);
    expect(Number((await readGamePlayer('pg', username)).balance)).toBe(35.5);
  });

  test('"All" moves the whole wallet, including money that arrived since the dialog opened [R-GAME-03]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 40);
    const { username } = await openGameAccount(member, 'pg');
    const dialog = await openGameWithOptions(memberPage, 'pg');
    await dialogButton(dialog, 'ทั้งหมด').click();
    await expect(amountField(dialog)).toHaveValue('40');
    // Money arrives while the dialog is open: the dialog shows the new balance, and "all" transfers all of it.
    await fundWallet(member, 25.5);
    await expect(amountField(dialog)).toHaveValue('65.50', BALANCE_TIMEOUT);
    const transferRequest = memberPage.waitForRequest((request) => request.url().endsWith('/api/wallet/transferAll'));
    await dialogButton(dialog, 'โยกทั้งหมด').click();
    expect((await transferRequest).postDataJSON()).toEqual({ to: 'pg' });
    await expect(memberPage.getByText('โยก ฿65.50 เข้า PG SLOT แล้ว')).toBeVisible();
    await expect(dialog).toContainText('ในกระเป๋ามี ฿0.00');
    await expect(amountField(dialog)).toHaveValue('');
    await expect(dialogButton(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    expect((await readWallet(member)).wallet.amount).toBe(0);
    expect(Number((await readGamePlayer('pg', username)).balance)).toBe(65.5);
  });
});

test.describe('money of a game account', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('an amount in a pending transfer to the game is not offered again, however the transfer ends', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 60);
    await openGameAccount(member, 'pg');
    const dialog = await openGameWithOptions(memberPage, 'pg');
    const { promise: balanceSeen, resolve: isSeen } = Promise.withResolvers<void>();
    let requestCount = 0;
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      requestCount += 1;
      if (requestCount > 1) {
        await balanceSeen;
        return route.fulfill({ response });
      }
      const { reference } = await response.json();
      await route.fulfill({ status: 202, json: { message: 'PROCESSING', status: 'PROCESSING', reference } });
    });
    await amountField(dialog).fill('20');
    await dialogButton(dialog, 'โยกแล้วเข้าเล่น').click();
    await expect(dialog.getByText('มีรายการโยกเงินที่ยังไม่ทราบผล')).toBeVisible();
    await expect(amountField(dialog)).toHaveValue('');
    isSeen();
    await expect(amountField(dialog)).toBeEnabled();
    await expect(amountField(dialog)).toHaveValue('');
    await expect(dialogButton(dialog, 'เข้าเล่น')).toBeVisible();
    await expect(dialogButton(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    expect((await readWallet(member)).wallet.amount).toBe(40);
  });

  test('the game dialog moves money back to the wallet, and both amounts update [R-GAME-01]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 60);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 60);
    const dialog = await openGameFromHome(memberPage, 'pg');
    await dialogButton(dialog, 'โยก ฿60.00 กลับกระเป๋า').click();
    await expect(memberPage.getByText('฿60.00 กลับเข้ากระเป๋าแล้ว')).toBeVisible();
    await expect(dialog).toContainText('ในกระเป๋ามี ฿60.00');
    await expect(dialog.getByRole('button', { name: /กลับกระเป๋า$/ })).toHaveCount(0);
    await memberPage.keyboard.press('Escape');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿0.00' })).toBeVisible();
    expect((await readWallet(member)).wallet.amount).toBe(60);
  });

  test('a game in maintenance says so and offers no action that would fail', async ({ memberPage }) => {
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, 'เส้นประตู');
    await expect(dialog.getByRole('heading', { name: 'เส้นประตู ปิดปรับปรุงอยู่' })).toBeVisible();
    await expect(dialogButton(dialog, 'เปิดบัญชี')).toHaveCount(0);
    await expect(dialogButton(dialog, 'เข้าเล่น')).toHaveCount(0);
  });
});

test.describe('a game account when calls fail', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('opening and resetting a game account that fail show no error and can be repeated [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    const dialog = await openGameFromHome(memberPage, 'pg');
    await memberPage.route('**/api/wallet/{activate,resetpassword}/*', (route) =>
      route.fulfill({ status: 502, json: { message: 'SLOT_ACTIVATE_FAIL' } }),
    );
    const refusedReply = memberPage.waitForResponse('**/api/wallet/activate/*');
    await (await openAccountOption(dialog)).click();
    await refusedReply;
    await expect(dialogButton(dialog, 'เปิดบัญชี')).not.toHaveAttribute('aria-busy');
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.unroute('**/api/wallet/{activate,resetpassword}/*');
    await dialogButton(dialog, 'เปิดบัญชี').click();
    const accountRegion = dialog.getByRole('region', { name: 'บัญชีเกม' });
    await expect(accountRegion).toBeVisible();

    const { password } = (await readGameCredentials(member, 'pg')).body;
    await memberPage.route('**/api/wallet/resetpassword/*', (route) => route.abort());
    const lostRequest = memberPage.waitForEvent('requestfailed', (request) =>
      request.url().includes('/resetpassword/'),
    );
    await dialogButton(dialog, 'ตั้งรหัสผ่านใหม่').click();
    await lostRequest;
    await expect(dialogButton(dialog, 'ตั้งรหัสผ่านใหม่')).not.toHaveAttribute('aria-busy');
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(accountRegion).toContainText(password);
  });

  test('the page does not scroll under two dialogs until both are closed, and the focus returns [R-ROUTE-12]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 10);
    await openGameAccount(member, 'pg');
    const dialog = await openGameWithOptions(memberPage, 'pg');
    await amountField(dialog).fill('500');
    await dialogButton(dialog, 'โยกอย่างเดียว').click();
    const failureDialog = memberPage.getByRole('dialog', { name: 'โยกเงินไม่สำเร็จ' });
    await expect(failureDialog).toContainText('ยอดเงินไม่พอ');
    const countScrolled = async () => {
      const before = await memberPage.evaluate(() => scrollY);
      await memberPage.mouse.move(195, 60);
      await memberPage.mouse.wheel(0, 300);
      await memberPage.waitForTimeout(200);
      return (await memberPage.evaluate(() => scrollY)) - before;
    };
    expect(await countScrolled()).toBe(0);
    await memberPage.keyboard.press('Escape');
    await expect(failureDialog).toBeHidden();
    await expect(dialog).toBeVisible();
    expect(await countScrolled()).toBe(0);
    for (let pressNumber = 0; pressNumber < 12; pressNumber += 1) {
      await memberPage.keyboard.press('Tab');
      const isInside = await memberPage.evaluate(() => {
        const { activeElement } = document;
        return activeElement === document.body || activeElement?.closest('dialog') !== null;
      });
      expect(isInside).toBe(true);
    }
    await memberPage.keyboard.press('Escape');
    await expect(dialog).toBeHidden();
    await expect(memberPage.getByRole('button', { name: /^PG SLOT / })).toBeFocused();
    await memberPage.evaluate(() => scrollTo(0, 0));
    // A wheel event before the page can scroll again has no effect.
    const scrollByWheel = async () => {
      await memberPage.mouse.wheel(0, 300);
      return memberPage.evaluate(() => scrollY);
    };
    await expect.poll(scrollByWheel).toBeGreaterThan(0);
  });
});

test('at 320 pixels the logo of a game does not cover a large balance', async ({ memberPage, member }) => {
  await memberPage.setViewportSize({ width: 320, height: 568 });
  await openGameAccount(member, 'pg');
  await memberPage.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { slots: { code: string }[] };
    const largeSlot = { amount: 1_234_567.89, isStale: true, logo: '/art/logos/pg.svg' };
    const slots = wallet.slots.map((slot) => (slot.code === 'pg' ? { ...slot, ...largeSlot } : slot));
    await route.fulfill({ response, json: { ...wallet, slots } });
  });
  const dialog = await openGameFromHome(memberPage, 'pg');
  // Measured in one evaluation, because the dialog may still be moving.
  const labelGap = await dialog.getByText('ยอดในเกม', { exact: true }).evaluate((label) => {
    const logo = label.closest('dialog')?.querySelector('img[src="/art/logos/pg.svg"]');
    return logo ? label.getBoundingClientRect().top - logo.getBoundingClientRect().bottom : Number.NaN;
  });
  expect(labelGap).toBeGreaterThanOrEqual(0);
  const amount = await dialog.getByText('฿1,234,567.89').first().boundingBox();
  expect((amount?.x ?? 0) + (amount?.width ?? 0)).toBeLessThanOrEqual(320);
});
