import type { Locator, Page, WebSocketRoute } from '@playwright/test';
import { openHome } from '../../support/home.ts';
import { type Member } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const sheet = (page: Page) => dialog(page, say('transfer:title'));
const failure = (page: Page) => dialog(page, say('transfer:failureTitle'));
const success = (page: Page) => dialog(page, say('transfer:successTitle'));
const unknown = (page: Page) => dialog(page, say('transfer:unknownTitle'));
const send = (page: Page) => button(sheet(page), say('transfer:submit')).click();
/** Cuts the connection: the page is notified a moment later, and of its return as well. */
const offline = (place: Locator) => place.getByText('ออฟไลน์อยู่');

/**
 * The sheet, filled in, with a hundred in the wallet and an open game.
 * @param inGame how much of that was moved into the game before
 */
async function begin(page: Page, member: Member, amount: string, inGame = 0): Promise<void> {
  await fund(member, 100);
  await openGame(member, 'pg');
  if (inGame > 0) await transfer(member, 'WALLET', 'pg', inGame);
  await openHome(page);
  await button(page, say('home:transfer')).click();
  await sheet(page).getByLabel(say('transfer:amount')).fill(amount);
}

test.describe('a transfer that goes wrong', () => {
  test('without a network is not sent and says so; when the line is back it goes [R-NET-09]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await begin(page, member, '60');
    const sent: string[] = [];
    page.on('request', (request) => request.url().endsWith('/wallet/transfer') && sent.push(request.url()));
    await context.setOffline(true);
    await expect(offline(sheet(page))).toBeVisible();
    await send(page);
    await expect(failure(page)).toContainText(say('transfer:refused.offline'));
    await expect(failure(page)).toContainText('฿100.00');
    expect(sent).toEqual([]);
    await button(failure(page), say('common:ok')).click();
    await context.setOffline(false);
    await expect(offline(sheet(page))).toBeHidden();
    await send(page);
    await expect(success(page)).toContainText('฿40.00');
    expect((await walletOf(member)).wallet.amount).toBe(40);
  });

  test('stays unknown when its answer was lost and the next try could not be sent, and moves once', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await begin(page, member, '60');
    const keys: (string | null)[] = [];
    await page.route('**/api/wallet/transfer', async (route) => {
      keys.push(await route.request().headerValue('idempotency-key'));
      const response = await route.fetch();
      await (keys.length === 1 ? route.abort() : route.fulfill({ response }));
    });
    await send(page);
    await expect(unknown(page)).toContainText(say('transfer:unknown'));
    await context.setOffline(true);
    await expect(offline(unknown(page))).toBeVisible();
    await button(unknown(page), say('transfer:tryAgain')).click();
    await expect(unknown(page)).toContainText(say('common:offline.unsent'));
    await expect(unknown(page)).toContainText(say('transfer:unknownOnce'));
    await context.setOffline(false);
    await expect(offline(unknown(page))).toBeHidden();
    await button(unknown(page), say('transfer:tryAgain')).click();
    await expect(success(page)).toContainText('฿40.00');
    expect(keys).toHaveLength(2);
    expect(keys[1]).toBe(keys[0]);
    expect((await walletOf(member)).wallet.amount).toBe(40);
  });

  test('on the server’s side is not called a broken line', async ({ memberPage: page, member }) => {
    await begin(page, member, '60');
    await page.route('**/api/wallet/transfer', (route) =>
      route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
    );
    await send(page);
    await expect(unknown(page)).toContainText(say('errors:errorMsg.INTERNAL_SERVER_ERROR'));
    await expect(unknown(page)).toContainText(say('transfer:unknownOnce'));
    await expect(unknown(page)).not.toContainText(say('transfer:unknown'));
  });

  test('in a game leaves the money there, and says so', async ({ memberPage: page, member }) => {
    await begin(page, member, '30', 50);
    await button(sheet(page), say('transfer:swap')).click();
    await page.route('**/api/wallet/transfer', (route) =>
      route.fulfill({ status: 502, json: { message: 'TRANSFER_FAIL' } }),
    );
    await send(page);
    await expect(failure(page)).toContainText(say('transfer:stillThere', { from: 'PG SLOT' }));
    await expect(failure(page)).not.toContainText(say('errors:errorMsg.TRANSFER_FAIL'));
  });

  test('can’t be left before its answer, so that what was refused is heard', async ({ memberPage: page, member }) => {
    await begin(page, member, '60');
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route('**/api/wallet/transfer', async (route) => {
      await held;
      await route.fulfill({ status: 400, json: { message: 'MONEY_NOT_ENOUGH' } });
    });
    await send(page);
    await expect(button(sheet(page), say('transfer:submitting'))).toBeVisible();
    await expect(button(sheet(page), say('common:close'))).toHaveCount(0);
    await page.keyboard.press('Escape');
    await page.mouse.click(195, 10);
    release();
    await expect(failure(page)).toContainText(say('errors:errorMsg.MONEY_NOT_ENOUGH'));
    await button(failure(page), say('common:ok')).click();
    await expect(sheet(page).getByLabel(say('transfer:amount'))).toHaveValue('60');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  });

  test('or well is shown without waiting for a wallet that doesn’t load', async ({ memberPage: page, member }) => {
    await begin(page, member, '60');
    await page.route(
      (url) => url.pathname === '/api/wallet',
      () => undefined,
    );
    await send(page);
    await expect(success(page)).toContainText('฿60.00');
  });
});

test('a transfer under way moves once, though its event comes while its outcome is being shown', async ({
  memberPage: page,
  member,
}) => {
  const { promise: line, resolve: isOpen } = Promise.withResolvers<WebSocketRoute>();
  await page.routeWebSocket(/\/socket\.io\//, (here) => {
    const server = here.connectToServer();
    server.onMessage((message) => {
      here.send(message);
      if (String(message).includes('"joined":true')) isOpen(here);
    });
  });
  await begin(page, member, '60');
  await line;
  const keys: (string | null)[] = [];
  let reference = '';
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let walletsHeld = 0;
  await page.route('**/api/wallet/transfer', async (route) => {
    keys.push(await route.request().headerValue('idempotency-key'));
    const reply = await route.fetch();
    if (keys.length > 1) {
      await page.route('**/api/wallet', async (held) => {
        walletsHeld += 1;
        await isReleased;
        await held.fallback();
      });
      return route.fulfill({ response: reply });
    }
    ({ reference } = await reply.json());
    return route.fulfill({ status: 202, json: { message: 'PROCESSING', reference, status: 'PROCESSING' } });
  });
  await send(page);
  await expect.poll(() => walletsHeld, { message: 'the wallet is loaded before the outcome is shown' }).toBe(1);
  const news = { sequence: '999999999', kind: 'transfer', state: 'SUCCESS', reference, amount: -60, at: '' };
  (await line).send(`42${JSON.stringify(['event', news])}`);
  await expect.poll(() => walletsHeld, { message: 'the event is heard' }).toBeGreaterThan(1);
  release();
  await expect(success(page)).toContainText('฿40.00');
  expect((await walletOf(member)).wallet.amount).toBe(40);
  expect(new Set(keys).size, 'it is the same command that is asked about').toBe(1);
});
