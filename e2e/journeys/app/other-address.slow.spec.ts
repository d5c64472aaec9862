import type { BrowserContext, Page } from '@playwright/test';
import { chromiumPath, flags } from '../../support/browser.ts';
import { openChat } from '../../support/chat.ts';
import { depositSheet, openWay } from '../../support/deposit.ts';
import { GAMES, openGameDialog, playInNewTab, roundsOf } from '../../support/game.ts';
import { openBehindBanners, openHome } from '../../support/home.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fund, openGame, payerOf, transfer } from '../../support/money.ts';
import { makeGift, outsideUrl } from '../../support/outside.ts';
import { ownSystem } from '../../support/own-system.ts';
import { betOnPage } from '../../support/play.ts';
import { Phone } from '../../support/phone.ts';
import { expect, test } from '../../support/test.ts';
import * as walk from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** A name that only this browser knows. To it the page is as insecure as one from another machine. */
const NAME = 'krapao.test';

const here = (address: string): string => address.replace('localhost', NAME);

test.use({
  baseURL: async ({}, use) => use(here(appUrl())),
  launchOptions: {
    executablePath: chromiumPath(),
    args: [...flags, `--host-resolver-rules=MAP ${NAME} 127.0.0.1`],
  },
});

/** Hosts of all that a browser asks for from now on, and what its pages were kept from doing. */
function watch(context: BrowserContext): { hosts: Set<string>; kept: string[] } {
  const hosts = new Set<string>();
  const kept: string[] = [];
  const look = (address: string): unknown => /^(http|ws)/.test(address) && hosts.add(new URL(address).hostname);
  const follow = (page: Page): void => {
    page.on('websocket', (line) => look(line.url()));
    page.on('console', (message) => {
      if (/Content Security Policy|Mixed Content|blocked by CORS/i.test(message.text())) kept.push(message.text());
    });
  };
  context.on('request', (request) => look(request.url()));
  context.on('page', follow);
  for (const page of context.pages()) follow(page);
  return { hosts, kept };
}

/** Logs in by hand on a phone, and accepts the agreement. */
const logIn = (page: Page, { phone, password, name }: Member): Promise<void> =>
  walk.logIn(page, say, { phone, password, name, firstName: '', lastName: '', accountNo: '' }, async () => {});

test.describe('reached by another name than localhost, over plain http', () => {
  ownSystem({ HOST: '0.0.0.0' });

  test('a member logs in, pays a QR on the phone page and sees the money come', async ({ page, member, context }) => {
    const { hosts, kept } = watch(context);
    await page.goto('/login');
    await logIn(page, member);
    const sheet = await walk.createQr(page, say, 50, async () => {});
    const picture = await walk.saveQr(page, sheet, say);
    const phone = await Phone.open(context, here(outsideUrl()));
    await phone.openAccount('ไทยพาณิชย์', payerOf(member));
    expect((await phone.scan(picture)).amount).toBe('50.00');
    await phone.pay();
    await walk.seeArrival(sheet, say, 50, async () => {});
    expect([...hosts]).toEqual([NAME]);
    expect(kept).toEqual([]);
  });

  for (const [code, kind] of [
    ['pg', 'slot'],
    ['saming', 'sports'],
    ['huayhd', 'lotto'],
  ] as const) {
    test(`${code} opens there, is played, and leads back there`, async ({ memberPage: page, member, context }) => {
      test.setTimeout(150_000);
      const { hosts, kept } = watch(context);
      await fund(member, 100);
      const { username } = await openGame(member, code);
      await transfer(member, 'WALLET', code, 50);
      await openHome(page);
      const game = await playInNewTab(context, await openGameDialog(page, GAMES[code]));
      await expect(game.locator('#balance')).toBeVisible();
      expect(new URL(game.url()).host).toBe(new URL(here(outsideUrl())).host);
      const home = game.getByRole('link', { name: 'กลับไปกระเป๋า' });
      await expect(home).toHaveAttribute('href', new RegExp(`^${here(appUrl())}(/|$)`));
      await betOnPage(game, kind);
      await expect.poll(() => roundsOf(code, username)).toBe(1);
      expect([...hosts]).toEqual([NAME]);
      expect(kept).toEqual([]);
    });
  }

  test('a game of one fixed site, and the app of a game, are linked there', async ({ memberPage: page, member }) => {
    await openGame(member, 'royal');
    await openHome(page);
    const royal = await playInNewTab(page.context(), await openGameDialog(page, GAMES.royal));
    await expect(royal).toHaveURL(`${here(outsideUrl())}/games/royal/`);
    await royal.close();
    await page.keyboard.press('Escape');
    await openGame(member, 'joker2');
    await page.reload();
    const app = (await openGameDialog(page, GAMES.joker2)).getByRole('link', { name: say('game:way.android') });
    await expect(app).toHaveAttribute('href', `${here(outsideUrl())}/games/joker2/app/android`);
  });

  test('the invite link leads there and is copied where the browser has no clipboard of its own', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    expect(await page.evaluate(() => [isSecureContext, 'clipboard' in navigator])).toEqual([false, false]);
    const sheet = await openBehindBanners(page, say, 'invite');
    const link = `${here(appUrl())}/register?code=PR${member.id}`;
    await expect(sheet.getByRole('group', { name: say('invite:link') })).toHaveText(link);
    await page.evaluate(() => {
      document.addEventListener('copy', () => {
        const field = document.activeElement as HTMLTextAreaElement;
        Object.assign(globalThis, { copied: field.value.slice(field.selectionStart, field.selectionEnd) });
      });
    });
    await walk.button(sheet, say('invite:copy')).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(say('parts:copied', { text: link }));
    expect(await page.evaluate(() => (globalThis as unknown as { copied: string }).copied)).toBe(link);
  });

  test('a gift link is redeemed where the browser has no cryptography of its own', async ({ memberPage: page }) => {
    await openHome(page);
    expect(await page.evaluate(() => crypto.subtle === undefined)).toBe(true);
    const sheet = await openWay(page, 'wallet', say('deposit:giftLink'));
    await sheet.getByLabel(say('deposit:giftField')).fill((await makeGift(45)).link);
    await walk.button(sheet, say('deposit:giftSend')).click();
    await expect(depositSheet(page).getByText('+฿45.00')).toBeVisible({ timeout: 30_000 });
  });

  test('the chat’s line, pictures and buttons are there', async ({ memberPage: page, context }) => {
    const { hosts, kept } = watch(context);
    const chat = await openChat(page, say);
    await chat.getByRole('textbox', { name: say('chat:message') }).fill('ช่วยด้วย');
    await walk.button(chat, say('chat:send')).click();
    const choices = chat.getByRole('list', { name: say('chat:media.quickReplies') });
    await choices.getByRole('button', { name: 'ฝากเงิน' }).click();
    await expect(chat.getByRole('link', { name: 'เปิดหน้าวิธีใช้' })).toHaveAttribute('href', `${here(appUrl())}/howto`);
    // Also from the history.
    await page.reload();
    await page.getByRole('button', { name: say('chat:open') }).click();
    await expect(chat.getByRole('link', { name: 'เปิดหน้าวิธีใช้' })).toHaveAttribute('href', `${here(appUrl())}/howto`);
    expect([...hosts]).toEqual([NAME]);
    expect(kept).toEqual([]);
  });
});
