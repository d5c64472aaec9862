import type { BrowserContext, Page } from '@playwright/test';
import { CHROMIUM_FLAGS, headlessShellPath } from '../../support/browser.ts';
import { openChat } from '../../support/chat.ts';
import { depositSheet, openDepositMethod } from '../../support/deposit.ts';
import { placeBetOnPage } from '../../support/game-bets.ts';
import { GAMES, openGameDialog, playInNewTab, countGameRounds } from '../../support/game.ts';
import { openSheetAndCloseBanners, openHome } from '../../support/home.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, memberAsPayer, transferMoney } from '../../support/money.ts';
import { SmsPhone } from '../../support/phone.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { makeGift, simulatorsUrl } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import * as walk from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** A host name that only this browser resolves. The page is an insecure context, as for another machine. */
const HOST_NAME = 'krapao.test';

const withHostName = (address: string): string => address.replace('localhost', HOST_NAME);

test.use({
  baseURL: async ({}, use) => use(withHostName(appUrl())),
  launchOptions: {
    executablePath: headlessShellPath(),
    args: [...CHROMIUM_FLAGS, `--host-resolver-rules=MAP ${HOST_NAME} 127.0.0.1`],
  },
});

/** Records the hosts of all requests from now on, and everything that the pages were blocked from doing. */
function watchContext(context: BrowserContext): { hosts: Set<string>; blockedActions: string[] } {
  const hosts = new Set<string>();
  const storedUrls: string[] = [];
  const recordHost = (address: string): unknown => /^(http|ws)/.test(address) && hosts.add(new URL(address).hostname);
  const followPage = (page: Page): void => {
    page.on('websocket', (webSocket) => recordHost(webSocket.url()));
    page.on('console', (message) => {
      if (/Content Security Policy|Mixed Content|blocked by CORS/i.test(message.text()))
        storedUrls.push(message.text());
    });
  };
  context.on('request', (request) => recordHost(request.url()));
  context.on('page', followPage);
  for (const page of context.pages()) followPage(page);
  return { hosts, blockedActions: storedUrls };
}

/** Logs in by hand on a phone, and accepts the agreement. */
const logIn = (page: Page, { phone, password, name }: Member): Promise<void> =>
  walk.logInUser(
    page,
    translate,
    { phone, password, name, firstName: '', lastName: '', accountNo: '' },
    async () => {},
  );

test.describe('at another host name than localhost, over plain http', () => {
  useSeparateSystem({ HOST: '0.0.0.0' });

  test('at another host name over plain http a member logs in, pays a QR on the phone page and sees the money arrive', async ({
    page,
    member,
    context,
  }) => {
    const { hosts, blockedActions } = watchContext(context);
    await page.goto('/login');
    await logIn(page, member);
    const sheet = await walk.createQr(page, translate, 50, async () => {});
    const qrImage = await walk.saveQr(page, sheet, translate);
    const phone = await SmsPhone.open(context, withHostName(simulatorsUrl()));
    await phone.openAccount('ไทยพาณิชย์', memberAsPayer(member));
    expect((await phone.scanQr(qrImage)).amount).toBe('50.00');
    await phone.payScannedQr();
    await walk.expectDepositArrival(sheet, translate, 50, async () => {});
    expect([...hosts]).toEqual([HOST_NAME]);
    expect(blockedActions).toEqual([]);
  });

  for (const [code, launchKind] of [
    ['pg', 'slot'],
    ['saming', 'sports'],
    ['huayhd', 'lotto'],
  ] as const) {
    test(`at another host name ${code} opens, can be played, and leads back to the same host`, async ({
      memberPage: page,
      member,
      context,
    }) => {
      test.setTimeout(150_000);
      const { hosts, blockedActions } = watchContext(context);
      await fundWallet(member, 100);
      const { username } = await openGameAccount(member, code);
      await transferMoney(member, 'WALLET', code, 50);
      await openHome(page);
      const game = await playInNewTab(context, await openGameDialog(page, GAMES[code]));
      await expect(game.locator('#balance')).toBeVisible();
      expect(new URL(game.url()).host).toBe(new URL(withHostName(simulatorsUrl())).host);
      const homeLink = game.getByRole('link', { name: 'กลับไปกระเป๋า' });
      await expect(homeLink).toHaveAttribute('href', new RegExp(`^${withHostName(appUrl())}(/|$)`));
      await placeBetOnPage(game, launchKind);
      await expect.poll(() => countGameRounds(code, username)).toBe(1);
      expect([...hosts]).toEqual([HOST_NAME]);
      expect(blockedActions).toEqual([]);
    });
  }

  test("at another host name a game with a fixed site and a game's app open at that host", async ({
    memberPage: page,
    member,
  }) => {
    await openGameAccount(member, 'royal');
    await openHome(page);
    const royalPage = await playInNewTab(page.context(), await openGameDialog(page, GAMES.royal));
    await expect(royalPage).toHaveURL(`${withHostName(simulatorsUrl())}/games/royal/`);
    await royalPage.close();
    await page.keyboard.press('Escape');
    await openGameAccount(member, 'joker2');
    await page.reload();
    const app = (await openGameDialog(page, GAMES.joker2)).getByRole('link', { name: translate('game:way.android') });
    await expect(app).toHaveAttribute('href', `${withHostName(simulatorsUrl())}/games/joker2/app/android`);
  });

  test('at another host name the invite link leads to that host, and is copied without the clipboard API', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
    const sheet = await openSheetAndCloseBanners(page, translate, 'invite');
    const link = `${withHostName(appUrl())}/register?code=PR${member.id}`;
    await expect(sheet.getByRole('group', { name: translate('invite:link'), exact: true })).toHaveText(link);
    await page.evaluate(() => {
      document.addEventListener('copy', () => {
        const field = document.activeElement as HTMLTextAreaElement;
        Object.assign(globalThis, { copied: field.value.slice(field.selectionStart, field.selectionEnd) });
      });
    });
    await walk.buttonByName(sheet, translate('invite:copy')).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(translate('parts:copied', { text: link }));
    expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe(link);
  });

  test("at another host name a gift link is redeemed without the browser's cryptography API", async ({
    memberPage: page,
  }) => {
    await openHome(page);
    expect(await page.evaluate(() => crypto.subtle === undefined)).toBe(true);
    const sheet = await openDepositMethod(page, 'wallet', translate('deposit:giftLink'));
    await sheet.getByLabel(translate('deposit:giftField')).fill((await makeGift(45)).link);
    await walk.buttonByName(sheet, translate('deposit:giftSend')).click();
    await expect(depositSheet(page).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
  });

  test('at another host name the chat connects and shows pictures and buttons', async ({
    memberPage: page,
    context,
  }) => {
    const { hosts, blockedActions } = watchContext(context);
    const chat = await openChat(page, translate);
    await chat.getByRole('textbox', { name: translate('chat:message') }).fill('ช่วยด้วย');
    await walk.buttonByName(chat, translate('chat:send')).click();
    const quickReplies = chat.getByRole('list', { name: translate('chat:media.quickReplies') });
    await quickReplies.getByRole('button', { name: 'ฝากเงิน' }).click();
    await expect(chat.getByRole('link', { name: 'เปิดหน้าวิธีใช้' })).toHaveAttribute(
      'href',
      `${withHostName(appUrl())}/howto`,
    );
    // Also from the history.
    await page.reload();
    await page.getByRole('button', { name: translate('chat:open') }).click();
    await expect(chat.getByRole('link', { name: 'เปิดหน้าวิธีใช้' })).toHaveAttribute(
      'href',
      `${withHostName(appUrl())}/howto`,
    );
    expect([...hosts]).toEqual([HOST_NAME]);
    expect(blockedActions).toEqual([]);
  });
});
