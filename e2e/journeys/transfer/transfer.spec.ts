import type { Page, Route } from '@playwright/test';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { openHome, withoutLine } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';

/** For events: the socket opens when the page is idle, and retries every five seconds. */
const TOLD = { timeout: 30_000 };

const sheet = (page: Page) => page.getByRole('dialog', { name: 'โยกเงิน', exact: true });
const from = (page: Page) => sheet(page).getByLabel('จาก', { exact: true });
const to = (page: Page) => sheet(page).getByLabel('ไปที่', { exact: true });
const amount = (page: Page) => sheet(page).getByLabel('จำนวนเงินที่จะโยก');
const send = (page: Page) => sheet(page).getByRole('button', { name: 'โยกเงิน', exact: true }).click();

async function openSheet(page: Page): Promise<void> {
  await openHome(page);
  await page.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
  await expect(amount(page)).toBeVisible();
}

test.describe('transfer', () => {
  test('wallet and active games can be chosen; what is missing or wrong is said; success and failure tell where the money is [R-XFER-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 300);
    await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 100);
    await openSheet(memberPage);
    // Only open accounts; and with one game there is nothing to choose.
    await expect(from(memberPage).locator('option')).toHaveText(['เลือกบัญชี', 'กระเป๋า · ฿200.00', 'PG SLOT · ฿100.00']);
    await expect(to(memberPage)).toHaveValue('pg');

    await to(memberPage).selectOption('');
    await amount(memberPage).fill('50');
    await send(memberPage);
    await expect(sheet(memberPage).getByRole('alert')).toHaveText('กรุณาเลือกบัญชีต้นทางและปลายทาง');
    await to(memberPage).selectOption('WALLET');
    await send(memberPage);
    await expect(sheet(memberPage).getByRole('alert')).toHaveText('โยกเข้าบัญชีเดิมไม่ได้ เลือกปลายทางอื่น');
    await to(memberPage).selectOption('pg');
    for (const small of ['', '0', '0.99']) {
      await amount(memberPage).fill(small);
      await send(memberPage);
      await expect(sheet(memberPage).getByRole('alert')).toHaveText('โยกขั้นต่ำ ฿1.00');
    }

    // More than the balance is refused before it is sent; should more be sent, the server's words are shown.
    let sent = 0;
    memberPage.on('request', (request) => void (request.url().endsWith('/api/wallet/transfer') && (sent += 1)));
    await amount(memberPage).fill('200.01');
    const tooMuch = sheet(memberPage).getByRole('alert');
    await expect(tooMuch).toHaveText('กระเป๋า มีอยู่ ฿200.00 ใส่จำนวนไม่เกินนี้');
    await send(memberPage);
    await expect(tooMuch).toBeVisible();
    expect(sent).toBe(0);
    await amount(memberPage).fill('200');
    await memberPage.route(
      '**/api/wallet/transfer',
      (route) => route.continue({ postData: { from: 'WALLET', to: 'pg', amount: 200.01 } }),
      { times: 1 },
    );
    await send(memberPage);
    const failure = memberPage.getByRole('dialog', { name: 'โยกเงินไม่สำเร็จ' });
    await expect(failure).toContainText('ยอดเงินไม่พอ');
    await expect(failure).toContainText('฿200.00');
    await failure.getByRole('button', { name: 'ตกลง' }).click();
    await expect(amount(memberPage)).toHaveValue('200');

    await sheet(memberPage).getByRole('button', { name: 'ทั้งหมด' }).click();
    await expect(amount(memberPage)).toHaveValue('200');
    await sheet(memberPage).getByRole('button', { name: 'สลับต้นทางกับปลายทาง' }).click();
    await expect(from(memberPage)).toHaveValue('pg');
    await expect(to(memberPage)).toHaveValue('WALLET');
    await amount(memberPage).fill('30.25');
    await send(memberPage);
    const success = memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' });
    await expect(success).toContainText('฿30.25 จาก PG SLOT ไปที่ กระเป๋า');
    await expect(success).toContainText('฿230.25');
    await expect(success).toContainText('฿69.75');
    await success.getByRole('button', { name: 'ตกลง' }).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    expect((await walletOf(member)).wallet.amount).toBe(230.25);
  });

  test('the whole wallet goes into a game with one press; closing it reloads the wallet [R-XFER-03] [R-HOME-07]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 1_234.56);
    await openGame(member, 'pg');
    await openGame(member, 'askmebet');
    // No event that would reload the wallet as well.
    await withoutLine(memberPage);
    await openSheet(memberPage);
    const all = sheet(memberPage).getByRole('button', { name: 'โยกเงินทั้งกระเป๋า' });
    await all.click();
    await expect(sheet(memberPage).getByRole('alert')).toHaveText('กรุณาเลือกบัญชีต้นทางและปลายทาง');
    await to(memberPage).selectOption('askmebet');
    const asked = memberPage.waitForRequest('**/api/wallet/transferAll');
    await sheet(memberPage).getByRole('button', { name: 'โยกเงินทั้งกระเป๋าเข้า ASKMEBET' }).click();
    expect((await asked).postDataJSON()).toEqual({ to: 'askmebet' });
    expect(await (await asked).headerValue('idempotency-key')).toBeTruthy();
    const success = memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' });
    await expect(success).toContainText('฿1,234.56 จาก กระเป๋า ไปที่ ASKMEBET');
    await expect(success.getByRole('definition')).toHaveText(['฿0.00', '฿1,234.56']);
    const reload = memberPage.waitForRequest((request) => new URL(request.url()).pathname === '/api/wallet');
    await success.getByRole('button', { name: 'ตกลง' }).click();
    await reload;
    const { wallet, slots } = await walletOf(member);
    expect([wallet.amount, slots.find(({ code }) => code === 'askmebet')?.amount]).toEqual([0, 1_234.56]);

    await memberPage.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
    await to(memberPage).selectOption('pg');
    await all.click();
    await expect(sheet(memberPage).getByRole('alert')).toHaveText('โยกขั้นต่ำ ฿1.00');
  });
});

test.describe('amounts of a transfer', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('what is being sent is never called too much for what it leaves behind', async ({ memberPage, member }) => {
    await fund(member, 100);
    await openGame(member, 'pg');
    await openSheet(memberPage);
    await amount(memberPage).fill('80');
    const release = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      await release.promise;
      await route.fulfill({ response });
    });
    await send(memberPage);
    await expect(from(memberPage).locator('option:checked')).toHaveText('กระเป๋า · ฿20.00', TOLD);
    await expect(sheet(memberPage).getByRole('alert')).toHaveCount(0);
    release.resolve();
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿80.00');
  });

  test('from game to game goes through the wallet', async ({ memberPage, member }) => {
    await fund(member, 100);
    await openGame(member, 'pg');
    await openGame(member, 'askmebet');
    await transfer(member, 'WALLET', 'pg', 100);
    await openSheet(memberPage);
    await from(memberPage).selectOption('pg');
    await to(memberPage).selectOption('askmebet');
    await amount(memberPage).fill('40');
    await send(memberPage);
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿60.00');
    const { wallet, slots } = await walletOf(member);
    const ownSlots = slots.filter(({ isActive }) => isActive).map((slot) => [slot.code, slot.amount]);
    expect([wallet.amount, Object.fromEntries(ownSlots)]).toEqual([0, { pg: 60, askmebet: 40 }]);
  });
});

test.describe('a transfer without an outcome', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  const noAnswers: Readonly<Record<string, (route: Route) => Promise<void>>> = {
    'a lost answer': (route) => route.abort(),
    // It may arrive after the decision was stored.
    'the answer of a server that is too busy': (route) =>
      route.fulfill({ status: 503, json: { message: 'REQUEST_LIMIT' } }),
  };
  for (const [what, answer] of Object.entries(noAnswers)) {
    test(`${what} is asked for again with the same key, and the money moves once`, async ({ memberPage, member }) => {
      await fund(member, 100);
      await openGame(member, 'pg');
      await openSheet(memberPage);
      const keys: (string | null)[] = [];
      await memberPage.route('**/api/wallet/transfer', async (route) => {
        keys.push(await route.request().headerValue('idempotency-key'));
        const response = await route.fetch();
        await (keys.length === 1 ? answer(route) : route.fulfill({ response }));
      });
      await amount(memberPage).fill('60');
      await send(memberPage);
      const unknown = memberPage.getByRole('dialog', { name: 'ยังไม่ทราบผล' });
      await expect(unknown).toContainText('ระบบจะไม่โยกซ้ำ');
      await unknown.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
      await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿40.00');
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBeTruthy();
      expect(keys[1]).toBe(keys[0]);
      expect((await walletOf(member)).wallet.amount).toBe(40);
    });
  }

  test('one that the game hasn’t confirmed is shown as under way and turns into its outcome', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 100);
    await openGame(member, 'pg');
    await openSheet(memberPage);
    let asked = 0;
    const { promise: seen, resolve: isSeen } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      const { reference } = await response.json();
      asked += 1;
      if (asked > 1) {
        // Its event may make the page reload immediately.
        await seen;
        return route.fulfill({ response });
      }
      return route.fulfill({ status: 202, json: { message: 'PROCESSING', status: 'PROCESSING', reference } });
    });
    await amount(memberPage).fill('25');
    await send(memberPage);
    const underWay = memberPage.getByRole('dialog', { name: 'กำลังดำเนินการ' });
    await expect(underWay).toContainText('กันเงิน ฿25.00 ไว้ให้แล้ว');
    isSeen();
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿75.00');
    expect((await walletOf(member)).wallet.amount).toBe(75);
  });

  test('the narrowest phone shows every name and every amount with its unit', async ({ memberPage, member }) => {
    await memberPage.setViewportSize({ width: 320, height: 640 });
    await fund(member, 123_456.78);
    await openGame(member, 'pg');
    await openSheet(memberPage);
    await sheet(memberPage).getByRole('button', { name: 'ทั้งหมด', exact: true }).click();
    await expect(amount(memberPage)).toHaveValue('123,456.78');
    const shown = sheet(memberPage).locator('[aria-hidden=true]', { hasText: '฿' });
    await expect(shown.first()).toContainText('กระเป๋า');
    await expect(shown.first()).toContainText('฿123,456.78');
    const name = memberPage.getByRole('banner').locator('p > span').last();
    for (const place of [shown.first(), shown.last(), amount(memberPage), name]) {
      const over = () => place.evaluate((element) => element.scrollWidth - (element.clientWidth || Infinity));
      await expect.poll(over).toBeLessThanOrEqual(0);
    }
  });

  test('without a game account it says what to do first', async ({ memberPage }) => {
    await openHome(memberPage);
    await memberPage.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
    await expect(sheet(memberPage)).toContainText('เพื่อเปิดบัญชีเกม');
  });
});
