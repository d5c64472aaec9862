import type { Page, Route } from '@playwright/test';
import { openHome, blockEventSocket } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';

/** For events: the socket opens when the page is idle, and retries every five seconds. */
const BALANCE_TIMEOUT = { timeout: 30_000 };

const transferSheet = (page: Page) => page.getByRole('dialog', { name: 'โยกเงิน', exact: true });
const fromSelect = (page: Page) => transferSheet(page).getByLabel('จาก', { exact: true });
const to = (page: Page) => transferSheet(page).getByLabel('ไปที่', { exact: true });
const amountField = (page: Page) => transferSheet(page).getByLabel('จำนวนเงินที่จะโยก');
const sendButton = (page: Page) => transferSheet(page).getByRole('button', { name: 'โยกเงิน', exact: true }).click();

async function openSheet(page: Page): Promise<void> {
  await openHome(page);
  await page.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
  await expect(amountField(page)).toBeVisible();
}

test.describe('transfer', () => {
  test('wallet and active games can be chosen, invalid input is reported, and the outcome says where the money is [R-XFER-01]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 300);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 100);
    await openSheet(memberPage);
    // Only open accounts are listed; with one game there is no choice.
    await expect(fromSelect(memberPage).locator('option')).toHaveText([
      'เลือกบัญชี',
      'กระเป๋า · ฿200.00',
      'PG SLOT · ฿100.00',
    ]);
    await expect(to(memberPage)).toHaveValue('pg');

    await to(memberPage).selectOption('');
    await amountField(memberPage).fill('50');
    await sendButton(memberPage);
    await expect(transferSheet(memberPage).getByRole('alert')).toHaveText('กรุณาเลือกบัญชีต้นทางและปลายทาง');
    await to(memberPage).selectOption('WALLET');
    await sendButton(memberPage);
    await expect(transferSheet(memberPage).getByRole('alert')).toHaveText('โยกเข้าบัญชีเดิมไม่ได้ เลือกปลายทางอื่น');
    await to(memberPage).selectOption('pg');
    for (const tooSmallAmount of ['', '0', '0.99']) {
      await amountField(memberPage).fill(tooSmallAmount);
      await sendButton(memberPage);
      await expect(transferSheet(memberPage).getByRole('alert')).toHaveText('โยกขั้นต่ำ ฿1.00');
    }

    // The app refuses more than the balance before sending; if sent anyway, it shows the server's refusal.
    let requestCount = 0;
    memberPage.on('request', (request) => void (request.url().endsWith('/api/wallet/transfer') && (requestCount += 1)));
    await amountField(memberPage).fill('200.01');
    const tooLargeAlert = transferSheet(memberPage).getByRole('alert');
    await expect(tooLargeAlert).toHaveText('กระเป๋า มีอยู่ ฿200.00 ใส่จำนวนไม่เกินนี้');
    await sendButton(memberPage);
    await expect(tooLargeAlert).toBeVisible();
    expect(requestCount).toBe(0);
    await amountField(memberPage).fill('200');
    await memberPage.route(
      '**/api/wallet/transfer',
      (route) => route.continue({ postData: { from: 'WALLET', to: 'pg', amount: 200.01 } }),
      { times: 1 },
    );
    await sendButton(memberPage);
    const failureDialog = memberPage.getByRole('dialog', { name: 'โยกเงินไม่สำเร็จ' });
    await expect(failureDialog).toContainText('ยอดเงินไม่พอ');
    await expect(failureDialog).toContainText('฿200.00');
    await failureDialog.getByRole('button', { name: 'ตกลง' }).click();
    await expect(amountField(memberPage)).toHaveValue('200');

    await transferSheet(memberPage).getByRole('button', { name: 'ทั้งหมด' }).click();
    await expect(amountField(memberPage)).toHaveValue('200');
    await transferSheet(memberPage).getByRole('button', { name: 'สลับต้นทางกับปลายทาง' }).click();
    await expect(fromSelect(memberPage)).toHaveValue('pg');
    await expect(to(memberPage)).toHaveValue('WALLET');
    await amountField(memberPage).fill('30.25');
    await sendButton(memberPage);
    const successDialog = memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' });
    await expect(successDialog).toContainText('฿30.25 จาก PG SLOT ไปที่ กระเป๋า');
    await expect(successDialog).toContainText('฿230.25');
    await expect(successDialog).toContainText('฿69.75');
    await successDialog.getByRole('button', { name: 'ตกลง' }).click();
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    expect((await readWallet(member)).wallet.amount).toBe(230.25);
  });

  test('one click moves the whole wallet into a game; closing the dialog reloads the wallet [R-XFER-03] [R-HOME-07]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 1_234.56);
    await openGameAccount(member, 'pg');
    await openGameAccount(member, 'askmebet');
    // Blocks events, which would reload the wallet too.
    await blockEventSocket(memberPage);
    await openSheet(memberPage);
    const allButton = transferSheet(memberPage).getByRole('button', { name: 'โยกเงินทั้งกระเป๋า' });
    await allButton.click();
    await expect(transferSheet(memberPage).getByRole('alert')).toHaveText('กรุณาเลือกบัญชีต้นทางและปลายทาง');
    await to(memberPage).selectOption('askmebet');
    const transferAllRequest = memberPage.waitForRequest('**/api/wallet/transferAll');
    await transferSheet(memberPage).getByRole('button', { name: 'โยกเงินทั้งกระเป๋าเข้า ASKMEBET' }).click();
    expect((await transferAllRequest).postDataJSON()).toEqual({ to: 'askmebet' });
    expect(await (await transferAllRequest).headerValue('idempotency-key')).toBeTruthy();
    const successDialog = memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' });
    await expect(successDialog).toContainText('฿1,234.56 จาก กระเป๋า ไปที่ ASKMEBET');
    await expect(successDialog.getByRole('definition')).toHaveText(['฿0.00', '฿1,234.56']);
    const walletReload = memberPage.waitForRequest((request) => new URL(request.url()).pathname === '/api/wallet');
    await successDialog.getByRole('button', { name: 'ตกลง' }).click();
    await walletReload;
    const { wallet, slots } = await readWallet(member);
    expect([wallet.amount, slots.find(({ code }) => code === 'askmebet')?.amount]).toEqual([0, 1_234.56]);

    await memberPage.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
    await to(memberPage).selectOption('pg');
    await allButton.click();
    await expect(transferSheet(memberPage).getByRole('alert')).toHaveText('โยกขั้นต่ำ ฿1.00');
  });
});

test.describe('amounts of a transfer', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('an amount being sent is not reported as too large for the balance it leaves', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openSheet(memberPage);
    await amountField(memberPage).fill('80');
    const transferRelease = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      await transferRelease.promise;
      await route.fulfill({ response });
    });
    await sendButton(memberPage);
    await expect(fromSelect(memberPage).locator('option:checked')).toHaveText('กระเป๋า · ฿20.00', BALANCE_TIMEOUT);
    await expect(transferSheet(memberPage).getByRole('alert')).toHaveCount(0);
    transferRelease.resolve();
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿80.00');
  });

  test('a transfer between two games passes through the wallet', async ({ memberPage, member }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openGameAccount(member, 'askmebet');
    await transferMoney(member, 'WALLET', 'pg', 100);
    await openSheet(memberPage);
    await fromSelect(memberPage).selectOption('pg');
    await to(memberPage).selectOption('askmebet');
    await amountField(memberPage).fill('40');
    await sendButton(memberPage);
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿60.00');
    const { wallet, slots } = await readWallet(member);
    const readOwnSlots = slots.filter(({ isActive }) => isActive).map((slot) => [slot.code, slot.amount]);
    expect([wallet.amount, Object.fromEntries(readOwnSlots)]).toEqual([0, { pg: 60, askmebet: 40 }]);
  });
});

test.describe('a transfer without an outcome', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  const LOST_REPLIES: Readonly<Record<string, (route: Route) => Promise<void>>> = {
    'a transfer whose reply is lost': (route) => route.abort(),
    // The reply may arrive after the decision was stored.
    'a transfer refused by a busy server': (route) =>
      route.fulfill({ status: 503, json: { message: 'REQUEST_LIMIT' } }),
  };
  for (const [title, respond] of Object.entries(LOST_REPLIES)) {
    test(`${title} is retried with the same key, and the money moves once`, async ({ memberPage, member }) => {
      await fundWallet(member, 100);
      await openGameAccount(member, 'pg');
      await openSheet(memberPage);
      const keys: (string | null)[] = [];
      await memberPage.route('**/api/wallet/transfer', async (route) => {
        keys.push(await route.request().headerValue('idempotency-key'));
        const response = await route.fetch();
        await (keys.length === 1 ? respond(route) : route.fulfill({ response }));
      });
      await amountField(memberPage).fill('60');
      await sendButton(memberPage);
      const unknownDialog = memberPage.getByRole('dialog', { name: 'ยังไม่ทราบผล' });
      await expect(unknownDialog).toContainText('ระบบจะไม่โยกซ้ำ');
      await unknownDialog.getByRole('button', { name: 'ลองอีกครั้ง' }).click();
      await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿40.00');
      expect(keys).toHaveLength(2);
      expect(keys[0]).toBeTruthy();
      expect(keys[1]).toBe(keys[0]);
      expect((await readWallet(member)).wallet.amount).toBe(40);
    });
  }

  test('a transfer that the game has not confirmed is shown as in progress and then as its outcome', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await openSheet(memberPage);
    let requestCount = 0;
    const { promise: replySeen, resolve: isSeen } = Promise.withResolvers<void>();
    await memberPage.route('**/api/wallet/transfer', async (route) => {
      const response = await route.fetch();
      const { reference } = await response.json();
      requestCount += 1;
      if (requestCount > 1) {
        // Its event may make the page reload immediately.
        await replySeen;
        return route.fulfill({ response });
      }
      return route.fulfill({ status: 202, json: { message: 'PROCESSING', status: 'PROCESSING', reference } });
    });
    await amountField(memberPage).fill('25');
    await sendButton(memberPage);
    const underWay = memberPage.getByRole('dialog', { name: 'กำลังดำเนินการ' });
    await expect(underWay).toContainText('กันเงิน ฿25.00 ไว้ให้แล้ว');
    isSeen();
    await expect(memberPage.getByRole('dialog', { name: 'โยกเงินสำเร็จ' })).toContainText('฿75.00');
    expect((await readWallet(member)).wallet.amount).toBe(75);
  });

  test('the narrowest phone shows every name and amount of a transfer with its unit', async ({
    memberPage,
    member,
  }) => {
    await memberPage.setViewportSize({ width: 320, height: 640 });
    await fundWallet(member, 123_456.78);
    await openGameAccount(member, 'pg');
    await openSheet(memberPage);
    await transferSheet(memberPage).getByRole('button', { name: 'ทั้งหมด', exact: true }).click();
    await expect(amountField(memberPage)).toHaveValue('123,456.78');
    const shownFigures = transferSheet(memberPage).locator('[aria-hidden=true]', { hasText: '฿' });
    await expect(shownFigures.first()).toContainText('กระเป๋า');
    await expect(shownFigures.first()).toContainText('฿123,456.78');
    const name = memberPage.getByRole('banner').locator('p > span').last();
    for (const place of [shownFigures.first(), shownFigures.last(), amountField(memberPage), name]) {
      const overflowPx = () => place.evaluate((element) => element.scrollWidth - (element.clientWidth || Infinity));
      await expect.poll(overflowPx).toBeLessThanOrEqual(0);
    }
  });

  test('a transfer without a game account shows what to do first', async ({ memberPage }) => {
    await openHome(memberPage);
    await memberPage.getByRole('button', { name: 'โยกเงิน', exact: true }).click();
    await expect(transferSheet(memberPage)).toContainText('เพื่อเปิดบัญชีเกม');
  });
});
