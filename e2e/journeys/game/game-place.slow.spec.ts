import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test';
import { amountIn, GAMES, openGameAtHome, openGameDialog, titleAt } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { play } from '../../support/outside.ts';
import { creditShown } from '../../support/play.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** A page of the app that loads from nothing on a busy machine. */
const LOADED = { timeout: 30_000 };
const ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const LINE = `${IPHONE.replace('Version/17.5 ', '').replace(' Safari/604.1', '')} Safari Line/14.9.1`;

/** A browser that calls itself something else, with the member's home page open. */
async function homeOn(browser: Browser, member: Member, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: appUrl(), ...options })).newPage();
  await signIn(page, member);
  await openHome(page);
  return page;
}

/** Closes such a browser. A call that the test answers may be pending: that is no failure of the test. */
async function leave(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

test.describe('where a game opens', () => {
  test.beforeEach(() => test.setTimeout(120_000));

  // The flag is the server's (GAME_TAB, tested there); here the browser reads it in the answer of the look-up.
  test('in the same tab the app is left; Back comes back to the game’s dialog with fresh amounts [R-GAME-07]', async ({
    memberPage,
    member,
    context,
  }) => {
    await memberPage.route('**/api/lookup/info', async (route) => {
      const answer = await route.fetch();
      await route.fulfill({ response: answer, json: { ...(await answer.json()), gameTab: 'same' } });
    });
    await fund(member, 50);
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 50);
    await button(await openGameAtHome(memberPage, 'pg'), say('game:play')).click();
    await expect(creditShown(memberPage)).toHaveText('50.00');
    expect(context.pages()).toHaveLength(1);
    await play('pg', username, 20, 5);
    await memberPage.goBack();
    const dialog = memberPage.getByRole('dialog', { name: GAMES.pg, exact: true });
    await expect(amountIn(dialog, '35.00')).toBeVisible(LOADED);
    await memberPage.keyboard.press('Escape');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿35.00' })).toBeVisible();
    // Once: a reload is no return from a game.
    await memberPage.reload();
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿35.00' })).toBeVisible(LOADED);
    await expect(dialog).toHaveCount(0);
  });

  test('a form is posted in the same tab as well, and leaves nothing of it in the app’s page [R-GAME-07]', async ({
    memberPage,
    member,
    context,
  }) => {
    await memberPage.route('**/api/lookup/info', (route) =>
      route.fulfill({
        json: { name: 'Krapao', website: appUrl(), gameTab: 'same', truelinkSecret: 'krapao', agreementVersion: 'one' },
      }),
    );
    const { password } = await openGame(member, 'naga');
    await openHome(memberPage);
    await button(await openGameDialog(memberPage, GAMES.naga), say('game:play')).click();
    await expect(memberPage.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(memberPage.url()).not.toContain(password);
    expect(context.pages()).toHaveLength(1);
    await memberPage.goBack();
    await expect(memberPage.getByRole('dialog', { name: GAMES.naga, exact: true })).toBeVisible(LOADED);
    await expect(memberPage.locator('form[method=post]')).toHaveCount(0);

    // The game knows the way back as well, and nothing is left behind the page that it leads to.
    await button(memberPage.getByRole('dialog'), say('game:play')).click();
    await memberPage.getByRole('link', { name: 'กลับไปกระเป๋า' }).click();
    await expect(memberPage).toHaveURL(`${appUrl()}/user/home`, LOADED);
    await expect(button(memberPage, say('home:deposit'))).toBeVisible(LOADED);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
  });

  test('inside a chat app, which has no tabs to steer, games open in its one page [R-GAME-07]', async ({
    browser,
    member,
  }) => {
    await openGame(member, 'pg');
    const page = await homeOn(browser, member, { userAgent: LINE });
    await button(await openGameDialog(page, GAMES.pg), say('game:play')).click();
    await expect(page.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(page.context().pages()).toHaveLength(1);
    await leave(page);
  });
});

test.describe('a game’s site and apps', () => {
  test('joker2 and usun have Android and iOS links that answer, and no web link [R-GAME-04]', async ({
    memberPage,
    member,
    context,
  }) => {
    for (const code of ['joker2', 'usun'] as const) await openGame(member, code);
    await openHome(memberPage);
    for (const code of ['joker2', 'usun'] as const) {
      const ways = (await openGameDialog(memberPage, GAMES[code])).getByRole('region', { name: say('game:otherWays') });
      await expect(ways.getByRole('link')).toHaveText([say('game:way.android'), say('game:way.ios')]);
      for (const link of await ways.getByRole('link').all()) {
        await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
        const [store] = await Promise.all([context.waitForEvent('page'), link.click()]);
        await expect(store.getByRole('heading', { level: 1 })).toHaveText(await titleAt(code));
        expect(await store.evaluate(() => window.opener)).toBeNull();
        await store.close();
      }
      await memberPage.keyboard.press('Escape');
      await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    }
  });

  test('huayhd has a web link, where one signs in by hand; a game without any shows none of them [R-GAME-04]', async ({
    memberPage,
    member,
    context,
  }) => {
    const { username, password } = await openGame(member, 'huayhd');
    await openGame(member, 'pg');
    await openHome(memberPage);
    const ways = async (name: string): Promise<Locator> =>
      (await openGameDialog(memberPage, name)).getByRole('region', { name: say('game:otherWays') });
    const link = (await ways(GAMES.huayhd)).getByRole('link');
    await expect(link).toHaveText([say('game:way.web')]);
    const [site] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await expect(site.getByRole('heading', { level: 1 })).toHaveText(await titleAt('huayhd'));
    await site.getByLabel('ชื่อผู้ใช้').fill(username);
    await site.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
    await site.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
    await expect(creditShown(site)).toHaveText(/^฿?0\.00$/);
    await memberPage.keyboard.press('Escape');
    await expect(await ways(GAMES.pg)).toHaveCount(0);
  });

  const phones = [
    { name: 'Android', userAgent: ANDROID, order: ['android', 'web', 'ios'] },
    { name: 'an iPhone', userAgent: IPHONE, order: ['ios', 'web', 'android'] },
  ] as const;
  for (const { name, userAgent, order } of phones) {
    test(`on ${name} its own link is the first; an address that would run in the page is no link [R-GAME-04]`, async ({
      browser,
      member,
    }) => {
      await openGame(member, 'joker2');
      await openGame(member, 'pg');
      const page = await homeOn(browser, member, { userAgent });
      // Addresses are the operator's: an app's own scheme and a mistake stand in for theirs.
      await page.route('**/api/wallet', async (route) => {
        const answer = await route.fetch();
        const wallet = (await answer.json()) as { slots: { code: string }[] };
        const slots = wallet.slots.map((slot) => {
          if (slot.code === 'joker2') return { ...slot, web: 'https://joker.example/', android: 'joker://open' };
          return slot.code === 'pg' ? { ...slot, web: 'javascript:alert(1)', android: 'data:text/html,x' } : slot;
        });
        await route.fulfill({ response: answer, json: { ...wallet, slots } });
      });
      await page.reload();
      const ways = (await openGameDialog(page, GAMES.joker2)).getByRole('region', { name: say('game:otherWays') });
      await expect(ways.getByRole('link')).toHaveText(order.map((kind) => say(`game:way.${kind}`)));
      const app = ways.getByRole('link', { name: say('game:way.android') });
      await expect(app).toHaveAttribute('href', 'joker://open');
      await expect(app).not.toHaveAttribute('target');
      await page.keyboard.press('Escape');
      const pg = await openGameDialog(page, GAMES.pg);
      await expect(button(pg, say('game:play'))).toBeVisible();
      await expect(pg.getByRole('region', { name: say('game:otherWays') })).toHaveCount(0);
      await leave(page);
    });
  }
});
