import type { Locator, Page, WebSocketRoute } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const transferSheet = (page: Page) => dialogByName(page, translate('transfer:title'));
const failureDialog = (page: Page) => dialogByName(page, translate('transfer:failureTitle'));
const successDialog = (page: Page) => dialogByName(page, translate('transfer:successTitle'));
const unknownDialog = (page: Page) => dialogByName(page, translate('transfer:unknownTitle'));
const submitTransfer = (page: Page) => buttonByName(transferSheet(page), translate('transfer:submit')).click();
/** The browser reports the lost connection, and its return, a moment later. */
const offlineText = (container: Locator) => container.getByText('ออฟไลน์อยู่');

/**
 * Opens the filled transfer sheet, with a hundred baht in the wallet and an open game.
 * @param inGame amount moved into the game before
 */
async function openFilledSheet(page: Page, member: Member, amount: string, inGame = 0): Promise<void> {
  await fundWallet(member, 100);
  await openGameAccount(member, 'pg');
  if (inGame > 0) await transferMoney(member, 'WALLET', 'pg', inGame);
  await openHome(page);
  await buttonByName(page, translate('home:transfer')).click();
  await transferSheet(page).getByLabel(translate('transfer:amount')).fill(amount);
}

test.describe('a transfer that goes wrong', () => {
  test('offline a transfer is not sent and says so; after the reconnection it can be sent [R-NET-09]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await openFilledSheet(page, member, '60');
    const sentBodies: string[] = [];
    page.on('request', (request) => request.url().endsWith('/wallet/transfer') && sentBodies.push(request.url()));
    await context.setOffline(true);
    await expect(offlineText(transferSheet(page))).toBeVisible();
    await submitTransfer(page);
    await expect(failureDialog(page)).toContainText(translate('transfer:refused.offline'));
    await expect(failureDialog(page)).toContainText('฿100.00');
    expect(sentBodies).toEqual([]);
    await buttonByName(failureDialog(page), translate('common:ok')).click();
    await context.setOffline(false);
    await expect(offlineText(transferSheet(page))).toBeHidden();
    await submitTransfer(page);
    await expect(successDialog(page)).toContainText('฿40.00');
    expect((await readWallet(member)).wallet.amount).toBe(40);
  });

  test('a transfer with a lost reply and an unsent retry stays unknown, and moves the money once', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await openFilledSheet(page, member, '60');
    const keys: (string | null)[] = [];
    await page.route('**/api/wallet/transfer', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await submitTransfer(page);
    await expect(unknownDialog(page)).toContainText(translate('transfer:unknown'));
    await context.setOffline(true);
    await expect(offlineText(unknownDialog(page))).toBeVisible();
    await buttonByName(unknownDialog(page), translate('transfer:tryAgain')).click();
    await expect(unknownDialog(page)).toContainText(translate('common:offline.unsent'));
    await expect(unknownDialog(page)).toContainText(translate('transfer:unknownOnce'));
    await context.setOffline(false);
    await expect(offlineText(unknownDialog(page))).toBeHidden();
    await buttonByName(unknownDialog(page), translate('transfer:tryAgain')).click();
    await expect(successDialog(page)).toContainText('฿40.00');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect((await readWallet(member)).wallet.amount).toBe(40);
  });

  test('a server error during a transfer is not reported as a lost connection', async ({
    memberPage: page,
    member,
  }) => {
    await openFilledSheet(page, member, '60');
    await page.route('**/api/wallet/transfer', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await submitTransfer(page);
    await expect(unknownDialog(page)).toContainText(translate('errors:errorMsg.INTERNAL_SERVER_ERROR'));
    await expect(unknownDialog(page)).toContainText(translate('transfer:unknownOnce'));
    await expect(unknownDialog(page)).not.toContainText(translate('transfer:unknown'));
  });

  test('a transfer that fails in a game leaves the money there, and says so', async ({ memberPage: page, member }) => {
    await openFilledSheet(page, member, '30', 50);
    await buttonByName(transferSheet(page), translate('transfer:swap')).click();
    await page.route('**/api/wallet/transfer', (route) =>
      route.fulfill({ status: 502, json: { message: 'TRANSFER_FAIL' } }),
    );
    await submitTransfer(page);
    await expect(failureDialog(page)).toContainText(translate('transfer:stillThere', { from: 'PG SLOT' }));
    await expect(failureDialog(page)).not.toContainText(translate('errors:errorMsg.TRANSFER_FAIL'));
  });

  test('a transfer dialog cannot be closed before the reply, so that a refusal is seen', async ({
    memberPage: page,
    member,
  }) => {
    await openFilledSheet(page, member, '60');
    const { promise: replyReleased, resolve: releaseReply } = Promise.withResolvers<void>();
    await page.route('**/api/wallet/transfer', async (route) => {
      await replyReleased;
      await route.fulfill({ status: 400, json: { message: 'MONEY_NOT_ENOUGH' } });
    });
    await submitTransfer(page);
    await expect(buttonByName(transferSheet(page), translate('transfer:submitting'))).toBeVisible();
    await expect(buttonByName(transferSheet(page), translate('common:close'))).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.mouse.click(195, 10);
    releaseReply();
    await expect(failureDialog(page)).toContainText(translate('errors:errorMsg.MONEY_NOT_ENOUGH'));
    await buttonByName(failureDialog(page), translate('common:ok')).click();
    await expect(transferSheet(page).getByLabel(translate('transfer:amount'))).toHaveValue('60');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('a successful transfer is shown without waiting for a wallet that does not load', async ({
    memberPage: page,
    member,
  }) => {
    await openFilledSheet(page, member, '60');
    await page.route(
      (url) => url.pathname === '/api/wallet',
      () => undefined,
    );
    await submitTransfer(page);
    await expect(successDialog(page)).toContainText('฿60.00');
  });
});

test('a pending transfer moves money once, even if its event arrives while its outcome is shown', async ({
  memberPage: page,
  member,
}) => {
  const { promise: socketOpened, resolve: isOpen } = Promise.withResolvers<WebSocketRoute>();
  await page.routeWebSocket(/\/socket\.io\//, (webSocket) => {
    const server = webSocket.connectToServer();
    server.onMessage((message) => {
      webSocket.send(message);
      if (String(message).includes('"joined":true')) isOpen(webSocket);
    });
  });
  await openFilledSheet(page, member, '60');
  await socketOpened;
  const keys: (string | null)[] = [];
  let reference = '';
  const { promise: isReleased, resolve: releaseWallet } = Promise.withResolvers<void>();
  let heldWalletCalls = 0;
  await page.route('**/api/wallet/transfer', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    const reply = await route.fetch();
    if (keys.length > 1) {
      await page.route('**/api/wallet', async (walletRoute) => {
        heldWalletCalls += 1;
        await isReleased;
        await walletRoute.fallback();
      });
      return route.fulfill({ response: reply });
    }
    ({ reference } = await reply.json());
    return route.fulfill({ status: 202, json: { message: 'PROCESSING', reference, status: 'PROCESSING' } });
  });
  await submitTransfer(page);
  await expect.poll(() => heldWalletCalls, { message: 'the wallet is loaded before the outcome is shown' }).toBe(1);
  const transferEvent = { sequence: '999999999', kind: 'transfer', state: 'SUCCESS', reference, amount: -60, at: '' };
  (await socketOpened).send(`42${JSON.stringify(['event', transferEvent])}`);
  await expect.poll(() => heldWalletCalls, { message: 'the event is heard' }).toBeGreaterThan(1);
  releaseWallet();
  await expect(successDialog(page)).toContainText('฿40.00');
  expect((await readWallet(member)).wallet.amount).toBe(40);
  expect(new Set(keys).size, 'it is the same command that is asked about').toBe(1);
});
