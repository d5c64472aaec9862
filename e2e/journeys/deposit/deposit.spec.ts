import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { depositSheet, openDepositMethod } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { memberAsPayer } from '../../support/money.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';

const KBANK_NAME = 'ธนาคารกสิกรไทย';
const sheet = depositSheet;
const createButton = (page: Page) => sheet(page).getByRole('button', { name: 'สร้าง QR' });
const amountField = (page: Page) => sheet(page).getByLabel('จำนวนเงินที่จะฝาก');
const qrImageOf = (page: Page, amount: string) => sheet(page).getByRole('img', { name: `QR สำหรับจ่าย ฿${amount}` });

async function openSheet(page: Page): Promise<void> {
  await page.reload();
  await openDepositMethod(page, 'qr', KBANK_NAME);
}

async function reopenSheet(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'ฝากเงิน' }).click();
  await expect(sheet(page)).toBeVisible();
}

/** Removes the server's time from its replies, which would reset the page's moved clock. */
const hideServerTime = (page: Page): Promise<unknown> =>
  page.route('**/api/**', async (route) => {
    const response = await route.fetch();
    const { date: _, ...headers } = response.headers();
    await route.fulfill({ response, headers });
  });

async function createQr(page: Page, amount: string): Promise<void> {
  await amountField(page).fill(amount);
  await createButton(page).click();
  await expect(sheet(page).getByRole('timer')).toBeVisible();
}

test.describe('deposit by QR', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('quick amounts fill the field; amounts of 0 or less create no QR, and below 1 the button has no effect [R-QR-01]', async ({
    memberPage,
  }) => {
    const createdCodes: string[] = [];
    memberPage.on('request', (request) => request.method() === 'POST' && createdCodes.push(request.url()));
    await openSheet(memberPage);
    const quickAmounts = sheet(memberPage).getByRole('group', { name: 'เลือกจำนวนเงิน' }).getByRole('button');
    await expect(quickAmounts).toHaveText(['10', '20', '50', '100', '500', '1,000']);
    await expect(createButton(memberPage)).toBeDisabled();
    for (const button of await quickAmounts.all()) {
      await button.click();
      await expect(amountField(memberPage)).toHaveValue(await button.innerText());
      await expect(createButton(memberPage)).toBeEnabled();
    }
    for (const emptyAmount of ['0', '0.00', '']) {
      await amountField(memberPage).fill(emptyAmount);
      await expect(createButton(memberPage)).toBeDisabled();
    }
    await amountField(memberPage).fill('0.99');
    await createButton(memberPage).click();
    await memberPage.waitForTimeout(500);
    expect(createdCodes.filter((url) => url.includes('/api/qrcode/'))).toEqual([]);
    await expect(amountField(memberPage)).toHaveValue('0.99');
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
  });

  test("an amount above the gateway's maximum is refused at the field, before any call", async ({ memberPage }) => {
    await openSheet(memberPage);
    const requestedAmounts: string[] = [];
    memberPage.on('request', (request) => request.method() === 'POST' && requestedAmounts.push(request.url()));
    await amountField(memberPage).fill('200000.01');
    await createButton(memberPage).click();
    await expect(sheet(memberPage).getByRole('alert')).toContainText('200,000');
    expect(requestedAmounts.filter((url) => url.includes('/api/qrcode/'))).toEqual([]);
    await amountField(memberPage).fill('100');
    await expect(sheet(memberPage).getByRole('alert')).toHaveCount(0);
  });

  test('a QR shows picture, amount and a countdown that changes each second; after it the QR is gone [R-QR-04]', async ({
    memberPage,
    member,
  }) => {
    await hideServerTime(memberPage);
    await memberPage.clock.install();
    await openSheet(memberPage);
    await createQr(memberPage, '123.45');
    await expect(qrImageOf(memberPage, '123.45')).toBeVisible();
    await expect(sheet(memberPage).getByText('฿123.45')).toBeVisible();
    const liveCode = await api<{ expireIn: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
    // Far enough ahead that the page's clock has not passed this time when the call arrives.
    const now = Date.now() + 20_000;
    await memberPage.clock.pauseAt(now);
    const clock = sheet(memberPage).getByRole('timer');
    const seconds = Math.ceil((Date.parse(liveCode.body.expireIn) - now) / 1000);
    const timerText = (secondsLeft: number) =>
      `${String(Math.floor(secondsLeft / 60)).padStart(2, '0')}:${String(secondsLeft % 60).padStart(2, '0')}`;
    const readShownSeconds = async (): Promise<number> => {
      const [minutes = Number.NaN, seconds = Number.NaN] = (await clock.innerText()).split(':').map(Number);
      return minutes * 60 + seconds;
    };
    await expect.poll(async () => Math.abs((await readShownSeconds()) - seconds)).toBeLessThanOrEqual(1);
    const left = await readShownSeconds();
    await expect(clock).toHaveText(timerText(left));
    for (const passedSeconds of [1, 2, 3]) {
      await memberPage.clock.runFor(1_000);
      await expect(clock).toHaveText(timerText(left - passedSeconds));
    }
    await memberPage.clock.fastForward((left - 5) * 1_000);
    await expect(clock).toHaveText(timerText(2));
    await memberPage.clock.runFor(3_000);
    await expect(clock).toHaveCount(0);
    await expect(sheet(memberPage).getByRole('img', { name: /^QR สำหรับจ่าย/ })).toHaveCount(0);
    await expect(createButton(memberPage)).toBeVisible();
    await expect(sheet(memberPage).getByText('QR หมดเวลาแล้ว')).toBeVisible();
  });

  test('a QR is still there after closing and reloading, until it is cancelled; "transfer done" closes with a message [R-QR-05]', async ({
    memberPage,
    member,
  }) => {
    await openSheet(memberPage);
    await createQr(memberPage, '80');
    await sheet(memberPage).getByRole('button', { name: 'จ่ายแล้ว' }).click();
    await expect(sheet(memberPage)).toBeHidden();
    await expect(memberPage.locator('[data-toast]')).toContainText('กำลังเช็กยอด');

    await reopenSheet(memberPage);
    await expect(qrImageOf(memberPage, '80.00')).toBeVisible();
    await memberPage.reload();
    await reopenSheet(memberPage);
    await expect(qrImageOf(memberPage, '80.00')).toBeVisible();

    await sheet(memberPage).getByRole('button', { name: 'ยกเลิก QR' }).click();
    await expect(amountField(memberPage)).toBeVisible();
    await expect(qrImageOf(memberPage, '80.00')).toHaveCount(0);
    const codeAfter = await api<{ hasQrcode: boolean }>('GET', '/api/qrcode/KBANK', { token: member.token });
    expect(codeAfter.body.hasQrcode).toBe(false);
    await openSheet(memberPage);
    await expect(amountField(memberPage)).toBeVisible();
  });
});

test.describe('a QR that is paid, shared or fails', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a received payment is shown immediately with the amount and the new balance', async ({
    memberPage,
    member,
  }) => {
    await openSheet(memberPage);
    await createQr(memberPage, '64.5');
    const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
    await payQr(body.payload, memberAsPayer(member));
    // The deposit takes as long as a bank callback, our inquiry and the event; fund() waits as long.
    await expect(sheet(memberPage).getByText('เงินเข้าแล้ว')).toBeVisible({ timeout: 30_000 });
    await expect(sheet(memberPage).getByText('+฿64.50')).toBeVisible();
    // The focused element is hidden, and focus has moved to the message.
    await expect(sheet(memberPage).locator(':focus')).toContainText('+฿64.50');
    await expect(sheet(memberPage).getByRole('paragraph').filter({ hasText: 'ยอดในกระเป๋า' })).toContainText('฿64.50');
    await sheet(memberPage).getByRole('button', { name: 'เสร็จสิ้น' }).click();
    await expect(sheet(memberPage)).toBeHidden();
  });

  test('the QR is shared as a picture and as text', async ({ memberPage, member }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await openSheet(memberPage);
    await createQr(memberPage, '20');
    const imageDownload = memberPage.waitForEvent('download');
    await sheet(memberPage).getByRole('button', { name: 'บันทึกรูป QR' }).click();
    const qrImage = await readFile(await (await imageDownload).path());
    expect(qrImage.subarray(1, 4).toString()).toBe('PNG');
    expect(qrImage.length).toBeGreaterThan(5_000);
    await sheet(memberPage).getByRole('button', { name: 'คัดลอกรหัส QR' }).click();
    const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
    const copiedToast = memberPage.locator('[data-toast]', { hasText: 'คัดลอกแล้ว' });
    await expect(copiedToast).toHaveText(`คัดลอกแล้ว: ${body.payload.slice(0, 20)}…`);
    expect(await memberPage.evaluate(() => navigator.clipboard.readText())).toBe(body.payload);
  });

  test('a failed cancellation or creation of a QR shows the reason, and never calls a paid QR unpaid', async ({
    memberPage,
    member,
  }) => {
    const toasts = memberPage.locator('[data-toast]');
    await openSheet(memberPage);
    let failureDetail: string | undefined;
    await memberPage.route('**/api/qrcode/*', async (route) => {
      const method = route.request().method();
      // Another window creates the code just before this page does; the page's earlier requests return no code.
      if (method === 'POST') await api('POST', '/api/qrcode/KBANK', { token: member.token, body: { amount: 30 } });
      await (method === 'DELETE'
        ? route.fulfill({ status: 409, json: { message: 'QR_FAIL', detail: failureDetail } })
        : route.fallback());
    });
    await amountField(memberPage).fill('50');
    await createButton(memberPage).click();
    // The translation of the code, and details from the server.
    await expect(toasts.filter({ hasText: 'มี QR ยอดอื่นรอจ่ายอยู่' })).toContainText('ยังไม่มีการตัดเงิน');
    await expect(qrImageOf(memberPage, '30.00')).toBeVisible();
    const cancel = sheet(memberPage).getByRole('button', { name: 'ยกเลิก QR' });
    for (const [failureReason, expectedText] of [
      ['QR_PAID', 'QR นี้จ่ายแล้ว เงินกำลังเข้ากระเป๋า'],
      ['QR_EXPIRED', 'QR นี้หมดเวลาแล้ว ถ้าจ่ายไปแล้ว เงินจะเข้ากระเป๋าอัตโนมัติ'],
      ['GATEWAY_UNKNOWN', 'ผู้ให้บริการยังไม่ตอบ'],
    ] as const) {
      failureDetail = failureReason;
      await cancel.click();
      await expect(toasts.filter({ hasText: expectedText })).toBeVisible();
      await expect(toasts.filter({ hasText: expectedText })).not.toContainText('ยังไม่มีการตัดเงิน');
    }
  });

  test("a reply without a QR shows the server's text in a danger toast [R-QR-06]", async ({ memberPage }) => {
    await openSheet(memberPage);
    await memberPage.route('**/api/qrcode/KBANK', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            json: {
              hasQrcode: false,
              qrcodeId: null,
              qrcode: null,
              payload: null,
              amount: null,
              requested: null,
              expireIn: null,
              message: 'ธนาคารปิดรับชั่วคราว',
            },
          })
        : route.continue(),
    );
    await amountField(memberPage).fill('10');
    await createButton(memberPage).click();
    await expect(memberPage.locator('[data-toast=danger]')).toHaveText('ธนาคารปิดรับชั่วคราว');
    await expect(createButton(memberPage)).toBeEnabled();
  });

  test('a failed look-up of deposit methods shows no error and can be repeated [R-NET-08]', async ({ memberPage }) => {
    await memberPage.route('**/api/lookup/deposit', (route) => route.abort());
    await memberPage.reload();
    await reopenSheet(memberPage);
    const retryButton = sheet(memberPage).getByRole('button', { name: 'ลองอีกครั้ง' });
    await expect(retryButton).toBeVisible();
    await expect(sheet(memberPage).getByText('ยังไม่มีช่องทางฝากเงิน')).toHaveCount(0);
    await expect(memberPage.locator('[data-toast]')).toHaveCount(0);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.unroute('**/api/lookup/deposit');
    await retryButton.click();
    await expect(sheet(memberPage).getByRole('region', { name: 'สแกน QR' })).toBeVisible();
  });

  test('a look-up without a reply is repeated automatically after the reconnection [R-NET-09]', async ({
    memberPage,
    context,
  }) => {
    await memberPage.route('**/api/lookup/deposit', (route) => route.abort());
    await memberPage.reload();
    await reopenSheet(memberPage);
    await expect(sheet(memberPage).getByRole('button', { name: 'ลองอีกครั้ง' })).toBeVisible();
    await context.setOffline(true);
    // The page is notified a moment later.
    await expect(sheet(memberPage).getByText('ออฟไลน์อยู่')).toBeVisible();
    await memberPage.unroute('**/api/lookup/deposit');
    await context.setOffline(false);
    await expect(sheet(memberPage).getByRole('region', { name: 'สแกน QR' })).toBeVisible();
  });
});
