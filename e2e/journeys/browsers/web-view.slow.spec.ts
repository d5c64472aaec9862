import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { openChat, readMemberMessages } from '../../support/chat.ts';
import { depositSheet, openDepositMethod, qrImage } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, totalBalanceText } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const IMAGE_PATH = new URL('../../../web/public/icons/icon-512.png', import.meta.url).pathname;

/** A VPN or a web view may report "offline" on a working connection. Runs in the page. */
const reportOffline = (): void => {
  Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false });
};

/** LINE and Facebook refuse clipboard access, and iOS refuses it after an await. Runs in the page. */
const refuseClipboard = (): void => {
  navigator.clipboard.writeText = () => Promise.reject(new DOMException('refused', 'NotAllowedError'));
  document.addEventListener('copy', () => {
    const field = document.activeElement as HTMLTextAreaElement;
    Object.assign(globalThis, { copied: field.value.slice(field.selectionStart, field.selectionEnd) });
  });
};

test.describe('in a browser that falsely reports no connection', () => {
  test.beforeEach(({ page }) => page.addInitScript(reportOffline));

  test('in a browser that falsely reports no connection a member logs in, moves money, sends a slip and chats', async ({
    page,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    await page.goto('/login');
    await page.getByLabel(translate('login:phone')).fill(member.phone);
    await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
    await buttonByName(page, translate('login:submit')).click();
    await expect(page).toHaveURL(/\/user\/home$/);
    await openHome(page);
    await expect(totalBalanceText(page, translate)).toHaveText('100.00');

    await buttonByName(page, translate('home:transfer')).click();
    const transfer = dialogByName(page, translate('transfer:title'));
    await transfer.getByLabel(translate('transfer:amount')).fill('60');
    await buttonByName(transfer, translate('transfer:submit')).click();
    const successDialog = dialogByName(page, translate('transfer:successTitle'));
    await expect(successDialog).toContainText('฿40.00');
    await buttonByName(successDialog, translate('common:ok')).click();
    expect((await readWallet(member)).wallet.amount).toBe(40);

    const slip = await openDepositMethod(page, 'slip', translate('deposit:slip'));
    const fileChooser = page.waitForEvent('filechooser');
    await buttonByName(slip, translate('deposit:slipChoose')).click();
    await (await fileChooser).setFiles(IMAGE_PATH);
    await buttonByName(slip, translate('deposit:slipSend')).click();
    await expect(depositSheet(page).getByText(translate('deposit:slipSent'), { exact: true })).toBeVisible();

    const chat = await openChat(page, translate);
    await chat.getByRole('textbox', { name: translate('chat:message') }).fill('สวัสดีจากในแอป');
    await buttonByName(chat, translate('chat:send')).click();
    await expect.poll(async () => JSON.stringify(await readMemberMessages(member))).toContain('สวัสดีจากในแอป');
    await expect(page.getByText(translate('common:offline.now'))).toHaveCount(0);
  });

  test('a transfer without a reply is shown as unknown, not as unsent, and the retry uses the same key', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 100);
    await openGameAccount(member, 'pg');
    const keys: (string | null)[] = [];
    await page.route('**/api/wallet/transfer', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await openHome(page);
    await buttonByName(page, translate('home:transfer')).click();
    const sheet = dialogByName(page, translate('transfer:title'));
    await sheet.getByLabel(translate('transfer:amount')).fill('60');
    await buttonByName(sheet, translate('transfer:submit')).click();
    const unknownDialog = dialogByName(page, translate('transfer:unknownTitle'));
    await expect(unknownDialog).toContainText(translate('transfer:unknown'));
    await buttonByName(unknownDialog, translate('transfer:tryAgain')).click();
    await expect(dialogByName(page, translate('transfer:successTitle'))).toContainText('฿40.00');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect((await readWallet(member)).wallet.amount).toBe(40);
  });

  test('the offline banner appears when the server stops replying, and disappears when it replies, without a browser event', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fundWallet(member, 75);
    await openHome(page);
    await context.setOffline(true);
    await buttonByName(page, translate('home:checkBalance')).click();
    await expect(page.getByText(translate('common:offline.now'))).toBeVisible();
    await page.evaluate(() => addEventListener('online', (event) => event.stopImmediatePropagation(), true));
    await context.setOffline(false);
    await expect(page.getByText(translate('common:offline.now'))).toBeHidden();
    await expect(totalBalanceText(page, translate)).toHaveText('75.00');
  });
});

test('where the clipboard is denied, a text is copied by selecting it, on the page and in a dialog', async ({
  memberPage: page,
}) => {
  await page.addInitScript(refuseClipboard);
  await openHome(page);
  const sheet = await openDepositMethod(page, 'bank', 'ธนาคารไทยพาณิชย์');
  const copyButton = buttonByName(sheet, translate('deposit:copyNumber'));
  await copyButton.click();
  await expect(page.locator('[data-toast=success]')).toHaveText(translate('parts:copied', { text: '4680001234' }));
  expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe('4680001234');
  await expect(copyButton).toBeFocused();
});

const IN_APP_AGENTS = {
  LINE: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Line/14.9.0',
  Facebook: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 [FB_IAB/FB4A]',
  'any other app': 'Mozilla/5.0 (Linux; Android 14; SM-A155F; wv) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36',
};

async function openQr(page: Page): Promise<Locator> {
  await openHome(page);
  const sheet = await openDepositMethod(page, 'qr', 'ธนาคารกสิกรไทย');
  await sheet.getByLabel(translate('deposit:amount')).fill('50');
  await buttonByName(sheet, translate('deposit:create')).click();
  await expect(qrImage(sheet, '50.00')).toBeVisible();
  return sheet;
}

async function openStatementFile(page: Page): Promise<Locator> {
  await page.goto('/user/statement');
  await buttonByName(page, translate('statement:export.open')).click();
  const sheet = dialogByName(page, translate('money:export.title'));
  await buttonByName(sheet, translate('money:export.makeFormat', { format: 'CSV' })).click();
  await expect(sheet.getByText(translate('money:export.ready_other', { count: 1 }))).toBeVisible();
  return sheet;
}

for (const [app, userAgent] of Object.entries(IN_APP_AGENTS))
  test.describe(`in the Android browser of ${app}, which ignores downloads`, () => {
    test.use({ userAgent });

    test(`in ${app}, QR and statement file are offered as an image to press and a link to copy, never reported as saved`, async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 500);
      let downloadCount = 0;
      page.on('download', () => (downloadCount += 1));
      const sheet = await openQr(page);
      await buttonByName(sheet, translate('deposit:saveImage')).click();
      await expect(sheet.getByText(translate('deposit:hold'))).toBeVisible();
      await expect
        .poll(() => qrImage(sheet, '50.00').evaluate((image: HTMLImageElement) => image.naturalWidth))
        .toBe(900);
      await expect(page.locator('[data-toast]')).toHaveCount(0);

      await page.addInitScript(refuseClipboard);
      const fileSheet = await openStatementFile(page);
      await expect(fileSheet.getByText(translate('money:export.inApp'))).toBeVisible();
      await expect(fileSheet.getByRole('link')).toHaveCount(0);
      await buttonByName(fileSheet, translate('money:export.copyLink', { format: 'CSV' })).click();
      await expect(page.locator('[data-toast=success]')).toHaveText(translate('parts:copied', { text: 'CSV' }));
      const link = await page.evaluate(() => (globalThis as unknown as { copied: string }).copied);
      // The link works in another browser, which has no session.
      expect(await (await fetch(link)).text()).toContain(',500.00,');
      expect(downloadCount).toBe(0);
    });
  });

test.describe('in an installed iPhone app', () => {
  test.use({ userAgent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148' });

  test('an installed iPhone app shares the QR and the statement file, because a link would replace the app', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    await page.addInitScript(() => {
      const shared: string[] = [];
      let isRefusing = location.pathname.endsWith('/statement');
      Object.assign(globalThis, { shared });
      Object.defineProperty(navigator, 'standalone', { value: true });
      Object.assign(navigator, {
        canShare: () => true,
        share: async ({ files: [file] = [] }: { files?: File[] }) => {
          // Browsers refuse to share when the file was loading for too long after the press.
          if (isRefusing) {
            isRefusing = false;
            throw new DOMException('too late', 'NotAllowedError');
          }
          const text = file?.type === 'text/csv' ? await file.text() : '';
          shared.push(`${file?.name ?? ''} ${file?.type ?? ''} ${text.includes(',500.00,')}`);
        },
      });
    });
    const readShared = () => page.evaluate(() => (globalThis as unknown as { shared: string[] }).shared);
    const sheet = await openQr(page);
    await buttonByName(sheet, translate('deposit:saveImage')).click();
    await expect.poll(readShared).toEqual([`${translate('deposit:savedName')}.png image/png false`]);
    await expect(page.locator('[data-toast]')).toHaveCount(0);

    const fileSheet = await openStatementFile(page);
    await expect(fileSheet.getByRole('link')).toHaveCount(0);
    const shareButton = buttonByName(fileSheet, translate('money:export.share', { format: 'CSV' }));
    await shareButton.click();
    await expect(page.locator('[data-toast]')).toHaveText(translate('money:export.loaded'));
    await shareButton.click();
    await expect.poll(readShared).toEqual([expect.stringMatching(/^[\w-]+\.csv text\/csv true$/)]);
    await expect(page).toHaveURL(/\/user\/statement/);
  });
});

test('a browser with downloads says that the QR is being downloaded, not that it is saved', async ({
  memberPage: page,
}) => {
  const sheet = await openQr(page);
  const download = page.waitForEvent('download');
  await buttonByName(sheet, translate('deposit:saveImage')).click();
  expect((await readFile(await (await download).path())).subarray(1, 4).toString()).toBe('PNG');
  await expect(page.locator('[data-toast=info]')).toHaveText(translate('deposit:downloading'));
  await expect(page.locator('[data-toast=success]')).toHaveCount(0);
});
