import type { Locator } from '@playwright/test';
import { amountIn, credentialsOf, openGameAtHome, openGameDialog } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { player } from '../../support/outside.ts';
import { expect, MOVING, test } from '../../support/test.ts';

const button = (dialog: Locator, name: string) => dialog.getByRole('button', { name, exact: true });
const amountField = (dialog: Locator) => dialog.getByLabel('โยกเงินเข้าเกมก่อนเล่น (ไม่บังคับ)');

/** For events: the socket opens when the page is idle, and retries every five seconds. */
const TOLD = { timeout: 30_000 };

test.use(MOVING);

test.describe('game account', () => {
  test('open it, see and copy its login, set a new password; the figures follow [R-GAME-01]', async ({
    memberPage,
    member,
  }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await fund(member, 100);
    const dialog = await openGameAtHome(memberPage, 'pg');
    const finished: string[] = [];
    const finishedAfter = (path: string) => (finished.includes(path) ? finished.slice(finished.indexOf(path) + 1) : []);
    memberPage.on('requestfinished', (request) => finished.push(new URL(request.url()).pathname));
    await button(dialog, 'เปิดบัญชี').click();
    const shown = dialog.getByRole('region', { name: 'บัญชีเกม' });
    await expect(shown).toBeVisible();
    await expect.poll(() => finishedAfter('/api/wallet/activate/pg')).toContain('/api/wallet/account/pg');
    const first = (await credentialsOf(member, 'pg')).body;
    await expect(shown).toContainText(first.username);
    await expect(shown).toContainText(first.password);

    await button(dialog, 'คัดลอก ชื่อผู้ใช้').click();
    const copied = dialog.locator('[data-toast]', { hasText: `คัดลอกแล้ว: ${first.username}` });
    await expect(copied).toBeVisible();
    // Below the button that closes the dialog, never over it, however high the dialog is.
    const closes = await dialog.locator('header').getByRole('button').boundingBox();
    const note = await copied.boundingBox();
    expect(note?.y ?? 0).toBeGreaterThanOrEqual((closes?.y ?? Infinity) + (closes?.height ?? Infinity));
    expect(await memberPage.evaluate(() => navigator.clipboard.readText())).toBe(first.username);
    await button(dialog, 'คัดลอก รหัสผ่าน').click();
    await expect.poll(() => memberPage.evaluate(() => navigator.clipboard.readText())).toBe(first.password);

    finished.length = 0;
    await button(dialog, 'ตั้งรหัสผ่านใหม่').click();
    await expect(shown).not.toContainText(first.password);
    await expect.poll(() => finishedAfter('/api/wallet/resetpassword/pg')).toContain('/api/wallet/account/pg');
    const second = (await credentialsOf(member, 'pg')).body;
    expect(second.username).toBe(first.username);
    expect(second.password).not.toBe(first.password);
    await expect(shown).toContainText(second.password);

    await amountField(dialog).fill('40');
    await button(dialog, 'โยกอย่างเดียว').click();
    await expect(amountIn(dialog, '40.00')).toBeVisible();
    await expect(dialog).toContainText('ในกระเป๋ามี ฿60.00');
    await memberPage.keyboard.press('Escape');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿40.00' })).toBeVisible();

    await memberPage.reload();
    await memberPage.getByRole('button', { name: /^PG SLOT / }).click();
    await expect(shown).toHaveCount(0);
    await button(dialog, 'ดูชื่อผู้ใช้และรหัสผ่าน').click();
    await expect(shown).toContainText(second.password);
  });

  test('a new password shows from the answer that made it, also when the login can’t be asked for again', async ({
    memberPage,
    member,
  }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await button(dialog, 'ดูชื่อผู้ใช้และรหัสผ่าน').click();
    const shown = dialog.getByRole('region', { name: 'บัญชีเกม' });
    const { password } = (await credentialsOf(member, 'pg')).body;
    await expect(shown).toContainText(password);
    await memberPage.route('**/api/wallet/account/pg', (route) => route.abort());
    const made = memberPage.waitForResponse('**/api/wallet/resetpassword/pg');
    await button(dialog, 'ตั้งรหัสผ่านใหม่').click();
    const second = (await (await made).json()) as { password: string };
    expect(second.password).not.toBe(password);
    await expect(shown).toContainText(second.password);
  });

  test('transfer only needs more than 0; play without an amount moves nothing; play with one transfers first [R-GAME-03]', async ({
    memberPage,
    member,
    context,
  }) => {
    await fund(member, 90);
    const { username } = await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    const commands: string[] = [];
    memberPage.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (/^\/api\/(wallet\/transfer|autoLogin)/.test(pathname)) commands.push(pathname);
    });
    for (const nothing of ['', '0', '0.00']) {
      await amountField(dialog).fill(nothing);
      await expect(button(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    }
    const [empty] = await Promise.all([context.waitForEvent('page'), button(dialog, 'เข้าเล่น').click()]);
    await expect(empty.getByText('เครดิต', { exact: true })).toBeVisible();
    expect(commands).toEqual([`/api/autoLogin/pg/${username}`]);
    expect((await walletOf(member)).wallet.amount).toBe(90);
    await empty.close();

    commands.length = 0;
    await amountField(dialog).fill('35.5');
    await expect(button(dialog, 'โยกอย่างเดียว')).toBeEnabled();
    const [game] = await Promise.all([context.waitForEvent('page'), button(dialog, 'โยกแล้วเข้าเล่น').click()]);
    await expect(game.getByText('35.50')).toBeVisible();
    expect(commands).toEqual(['/api/wallet/transfer', `/api/autoLogin/pg/${username}`]);
    expect((await walletOf(member)).wallet.amount).toBe(54.5);
    expect(Number((await player('pg', username)).balance)).toBe(35.5);
  });

  test('“all” moves the whole wallet, however much that is by then [R-GAME-03]', async ({ memberPage, member }) => {
    await fund(member, 40);
    const { username } = await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await button(dialog, 'ทั้งหมด').click();
    await expect(amountField(dialog)).toHaveValue('40');
    // More arrives while the dialog is open: the wallet says so, and all is all of it.
    await fund(member, 25.5);
    await expect(amountField(dialog)).toHaveValue('65.50', TOLD);
    const asked = memberPage.waitForRequest((request) => request.url().endsWith('/api/wallet/transferAll'));
    await button(dialog, 'โยกทั้งหมด').click();
    expect((await asked).postDataJSON()).toEqual({ to: 'pg' });
    await expect(memberPage.getByText('โยก ฿65.50 เข้า PG SLOT แล้ว')).toBeVisible();
    await expect(dialog).toContainText('ในกระเป๋ามี ฿0.00');
    await expect(amountField(dialog)).toHaveValue('');
    await expect(button(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    expect((await walletOf(member)).wallet.amount).toBe(0);
    expect(Number((await player('pg', username)).balance)).toBe(65.5);
  });
});

test.describe('money of a game account', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('an amount that is on its way into the game is not offered again, however its transfer ends', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 60);
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    const { promise: seen, resolve: isSeen } = Promise.withResolvers<void>();
    let asked = 0;
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      asked += 1;
      if (asked > 1) {
        await seen;
        return route.fulfill({ response });
      }
      const { reference } = await response.json();
      await route.fulfill({ status: 202, json: { message: 'PROCESSING', status: 'PROCESSING', reference } });
    });
    await amountField(dialog).fill('20');
    await button(dialog, 'โยกแล้วเข้าเล่น').click();
    await expect(dialog.getByText('มีรายการโยกเงินที่ยังไม่ทราบผล')).toBeVisible();
    await expect(amountField(dialog)).toHaveValue('');
    isSeen();
    await expect(amountField(dialog)).toBeEnabled();
    await expect(amountField(dialog)).toHaveValue('');
    await expect(button(dialog, 'เข้าเล่น')).toBeVisible();
    await expect(button(dialog, 'โยกอย่างเดียว')).toBeDisabled();
    expect((await walletOf(member)).wallet.amount).toBe(40);
  });

  test('money goes home again from the dialog; the amounts follow [R-GAME-01]', async ({ memberPage, member }) => {
    await fund(member, 60);
    await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 60);
    const dialog = await openGameAtHome(memberPage, 'pg');
    await button(dialog, 'โยก ฿60.00 กลับกระเป๋า').click();
    const sheet = memberPage.getByRole('dialog', { name: 'โยกเงิน' });
    await sheet.getByLabel('จำนวนเงินที่จะโยก').fill('22.25');
    await button(sheet, 'โยกเงิน').click();
    const done = memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' });
    await expect(done).toContainText('฿37.75');
    await button(done, 'ตกลง').click();
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿37.75' })).toBeVisible();
    expect((await walletOf(member)).wallet.amount).toBe(22.25);
  });

  test('a game in maintenance says so and offers nothing that can only fail', async ({ memberPage }) => {
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, 'เส้นประตู');
    await expect(dialog.getByRole('heading', { name: 'เส้นประตู ปิดปรับปรุงอยู่' })).toBeVisible();
    await expect(button(dialog, 'เปิดบัญชี')).toHaveCount(0);
    await expect(button(dialog, 'เข้าเล่น')).toHaveCount(0);
  });
});

test.describe('a game account when calls fail', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('opening and resetting that fail say nothing and can be tried again [R-NET-08]', async ({
    memberPage,
    member,
  }) => {
    const dialog = await openGameAtHome(memberPage, 'pg');
    await memberPage.route('**/api/wallet/{activate,resetpassword}/*', (route) =>
      route.fulfill({ status: 502, json: { message: 'SLOT_ACTIVATE_FAIL' } }),
    );
    const refused = memberPage.waitForResponse('**/api/wallet/activate/*');
    await button(dialog, 'เปิดบัญชี').click();
    await refused;
    await expect(button(dialog, 'เปิดบัญชี')).not.toHaveAttribute('aria-busy');
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.unroute('**/api/wallet/{activate,resetpassword}/*');
    await button(dialog, 'เปิดบัญชี').click();
    const shown = dialog.getByRole('region', { name: 'บัญชีเกม' });
    await expect(shown).toBeVisible();

    const { password } = (await credentialsOf(member, 'pg')).body;
    await memberPage.route('**/api/wallet/resetpassword/*', (route) => route.abort());
    const lost = memberPage.waitForEvent('requestfailed', (request) => request.url().includes('/resetpassword/'));
    await button(dialog, 'ตั้งรหัสผ่านใหม่').click();
    await lost;
    await expect(button(dialog, 'ตั้งรหัสผ่านใหม่')).not.toHaveAttribute('aria-busy');
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(shown).toContainText(password);
  });

  test('the page stays where it is under two dialogs until the last is closed; focus goes back [R-ROUTE-12]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 10);
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await amountField(dialog).fill('500');
    await button(dialog, 'โยกอย่างเดียว').click();
    const failure = memberPage.getByRole('dialog', { name: 'โยกเงินไม่สำเร็จ' });
    await expect(failure).toContainText('ยอดเงินไม่พอ');
    const scrolled = async () => {
      const before = await memberPage.evaluate(() => scrollY);
      await memberPage.mouse.move(195, 60);
      await memberPage.mouse.wheel(0, 300);
      await memberPage.waitForTimeout(200);
      return (await memberPage.evaluate(() => scrollY)) - before;
    };
    expect(await scrolled()).toBe(0);
    await memberPage.keyboard.press('Escape');
    await expect(failure).toBeHidden();
    await expect(dialog).toBeVisible();
    expect(await scrolled()).toBe(0);
    for (let press = 0; press < 12; press += 1) {
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
    // A wheel that turns before the page can be scrolled again is lost.
    const wheeled = async () => {
      await memberPage.mouse.wheel(0, 300);
      return memberPage.evaluate(() => scrollY);
    };
    await expect.poll(wheeled).toBeGreaterThan(0);
  });
});

test('at 320 pixels the logo of a game covers nothing of a large balance', async ({ memberPage, member }) => {
  await memberPage.setViewportSize({ width: 320, height: 568 });
  await openGame(member, 'pg');
  await memberPage.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { slots: { code: string }[] };
    const large = { amount: 1_234_567.89, isStale: true, logo: '/art/logos/pg.svg' };
    const slots = wallet.slots.map((slot) => (slot.code === 'pg' ? { ...slot, ...large } : slot));
    await route.fulfill({ response, json: { ...wallet, slots } });
  });
  const dialog = await openGameAtHome(memberPage, 'pg');
  // In one look: the dialog may still rise.
  const gap = await dialog.getByText('ยอดในเกม', { exact: true }).evaluate((label) => {
    const logo = label.closest('dialog')?.querySelector('img[src="/art/logos/pg.svg"]');
    return logo ? label.getBoundingClientRect().top - logo.getBoundingClientRect().bottom : Number.NaN;
  });
  expect(gap).toBeGreaterThanOrEqual(0);
  const amount = await dialog.getByText('฿1,234,567.89').first().boundingBox();
  expect((amount?.x ?? 0) + (amount?.width ?? 0)).toBeLessThanOrEqual(320);
});
