import { openChat, readMemberMessages } from '../../support/chat.ts';
import { depositSheet, openDepositMethod } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName, dialogByName, totalBalanceText } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

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

test.describe('in a browser that reports no connection while it has one', () => {
  test.beforeEach(({ page }) => page.addInitScript(reportOffline));

  test('a member logs in, moves money, sends a slip and chats, and nothing says that they are offline', async ({
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

  test('a transfer that got no answer is shown as unknown, not as unsent, and the next try uses the same key', async ({
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

  test('the offline banner appears once the server does not answer, and goes without an event of the browser once it does', async ({
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

test('where the clipboard refuses, a text is copied by selecting it, on the page and in a dialog', async ({
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
