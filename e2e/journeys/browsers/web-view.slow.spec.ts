import { openChat, written } from '../../support/chat.ts';
import { depositSheet, openWay } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, walletOf } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog, total } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const PICTURE = new URL('../../../web/public/icons/icon-512.png', import.meta.url).pathname;

/** A VPN or a web view may say so on a connection that works. Runs in the page. */
const reportOffline = (): void => {
  Object.defineProperty(Navigator.prototype, 'onLine', { get: () => false });
};

/** LINE and Facebook refuse, and so does iOS after an await. Runs in the page. */
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
    await fund(member, 100);
    await openGame(member, 'pg');
    await page.goto('/login');
    await page.getByLabel(say('login:phone')).fill(member.phone);
    await page.getByLabel(say('login:password'), { exact: true }).fill(member.password);
    await button(page, say('login:submit')).click();
    await expect(page).toHaveURL(/\/user\/home$/);
    await openHome(page);
    await expect(total(page, say)).toHaveText('100.00');

    await button(page, say('home:transfer')).click();
    const transfer = dialog(page, say('transfer:title'));
    await transfer.getByLabel(say('transfer:amount')).fill('60');
    await button(transfer, say('transfer:submit')).click();
    const done = dialog(page, say('transfer:successTitle'));
    await expect(done).toContainText('฿40.00');
    await button(done, say('common:ok')).click();
    expect((await walletOf(member)).wallet.amount).toBe(40);

    const slip = await openWay(page, 'slip', say('deposit:slip'));
    const choosing = page.waitForEvent('filechooser');
    await button(slip, say('deposit:slipChoose')).click();
    await (await choosing).setFiles(PICTURE);
    await button(slip, say('deposit:slipSend')).click();
    await expect(depositSheet(page).getByText(say('deposit:slipSent'), { exact: true })).toBeVisible();

    const chat = await openChat(page, say);
    await chat.getByRole('textbox', { name: say('chat:message') }).fill('สวัสดีจากในแอป');
    await button(chat, say('chat:send')).click();
    await expect.poll(async () => JSON.stringify(await written(member))).toContain('สวัสดีจากในแอป');
    await expect(page.getByText(say('common:offline.now'))).toHaveCount(0);
  });

  test('a transfer that got no answer is shown as unknown, not as unsent, and the next try uses the same key', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 100);
    await openGame(member, 'pg');
    const keys: (string | null)[] = [];
    await page.route('**/api/wallet/transfer', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await openHome(page);
    await button(page, say('home:transfer')).click();
    const sheet = dialog(page, say('transfer:title'));
    await sheet.getByLabel(say('transfer:amount')).fill('60');
    await button(sheet, say('transfer:submit')).click();
    const unknown = dialog(page, say('transfer:unknownTitle'));
    await expect(unknown).toContainText(say('transfer:unknown'));
    await button(unknown, say('transfer:tryAgain')).click();
    await expect(dialog(page, say('transfer:successTitle'))).toContainText('฿40.00');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect((await walletOf(member)).wallet.amount).toBe(40);
  });

  test('the offline banner appears once the server does not answer, and goes without an event of the browser once it does', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fund(member, 75);
    await openHome(page);
    await context.setOffline(true);
    await button(page, say('home:checkBalance')).click();
    await expect(page.getByText(say('common:offline.now'))).toBeVisible();
    await page.evaluate(() => addEventListener('online', (event) => event.stopImmediatePropagation(), true));
    await context.setOffline(false);
    await expect(page.getByText(say('common:offline.now'))).toBeHidden();
    await expect(total(page, say)).toHaveText('75.00');
  });
});

test('where the clipboard refuses, a text is copied by selecting it, on the page and in a dialog', async ({
  memberPage: page,
}) => {
  await page.addInitScript(refuseClipboard);
  await openHome(page);
  const sheet = await openWay(page, 'bank', 'ธนาคารไทยพาณิชย์');
  const copy = button(sheet, say('deposit:copyNumber'));
  await copy.click();
  await expect(page.locator('[data-toast=success]')).toHaveText(say('parts:copied', { text: '4680001234' }));
  expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe('4680001234');
  await expect(copy).toBeFocused();
});
