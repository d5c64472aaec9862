import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test';
import { creditDisplay } from '../../support/game-bets.ts';
import { dialogAmount, GAMES, openGameFromHome, openGameDialog, readProviderTitle } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { appUrl, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { playRound } from '../../support/simulators.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** Loading an uncached page of the app on a busy machine. */
const LOAD_TIMEOUT = { timeout: 30_000 };
const ANDROID_AGENT =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Mobile Safari/537.36';
const IPHONE_AGENT =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const LINE_AGENT = `${IPHONE_AGENT.replace('Version/17.5 ', '').replace(' Safari/604.1', '')} Safari Line/14.9.1`;

/** Opens the member's home page in a browser with another user agent. */
async function openHomeOn(browser: Browser, member: Member, options: BrowserContextOptions): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: appUrl(), ...options })).newPage();
  await signIn(page, member);
  await openHome(page);
  return page;
}

/** Leaves the page. A mocked call may still be pending; that is no failure of the test. */
async function leavePage(page: Page): Promise<void> {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await page.context().close();
}

test.describe('where a game opens', () => {
  test.beforeEach(() => test.setTimeout(120_000));

  // The server sets the flag (GAME_TAB, tested there). Here the browser reads it from the look-up's reply.
  test("a game in the same tab leaves the app; Back returns to the game's dialog with current amounts [R-GAME-07]", async ({
    memberPage,
    member,
    context,
  }) => {
    await memberPage.route('**/api/lookup/info', async (route) => {
      const serverReply = await route.fetch();
      await route.fulfill({ response: serverReply, json: { ...(await serverReply.json()), gameTab: 'same' } });
    });
    await fundWallet(member, 50);
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 50);
    await buttonByName(await openGameFromHome(memberPage, 'pg'), translate('game:play')).click();
    await expect(creditDisplay(memberPage)).toHaveText('50.00');
    expect(context.pages()).toHaveLength(1);
    await playRound('pg', username, 20, 5);
    await memberPage.goBack();
    const dialog = memberPage.getByRole('dialog', { name: GAMES.pg, exact: true });
    await expect(dialogAmount(dialog, '35.00')).toBeVisible(LOAD_TIMEOUT);
    await memberPage.keyboard.press('Escape');
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿35.00' })).toBeVisible();
    // Only once: a reload is no return from a game.
    await memberPage.reload();
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿35.00' })).toBeVisible(LOAD_TIMEOUT);
    await expect(dialog).toHaveCount(0);
  });

  test("a game's form is posted in the same tab, and leaves none of its data in the app's page [R-GAME-07]", async ({
    memberPage,
    member,
    context,
  }) => {
    await memberPage.route('**/api/lookup/info', (route) =>
      route.fulfill({
        json: { name: 'Krapao', website: appUrl(), gameTab: 'same', truelinkSecret: 'krapao', agreementVersion: 'one' },
      }),
    );
    const { password } = await openGameAccount(member, 'naga');
    await openHome(memberPage);
    await buttonByName(await openGameDialog(memberPage, GAMES.naga), translate('game:play')).click();
    await expect(memberPage.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(memberPage.url()).not.toContain(password);
    expect(context.pages()).toHaveLength(1);
    await memberPage.goBack();
    await expect(memberPage.getByRole('dialog', { name: GAMES.naga, exact: true })).toBeVisible(LOAD_TIMEOUT);
    await expect(memberPage.locator('form[method=post]')).toHaveCount(0);

    // The game's site links back too, and leaves no page in the history behind it.
    await buttonByName(memberPage.getByRole('dialog'), translate('game:play')).click();
    await memberPage.getByRole('link', { name: 'กลับไปกระเป๋า' }).click();
    await expect(memberPage).toHaveURL(`${appUrl()}/user/home`, LOAD_TIMEOUT);
    await expect(buttonByName(memberPage, translate('home:deposit'))).toBeVisible(LOAD_TIMEOUT);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
  });

  test("in a chat app's browser without tabs, games open in the same page [R-GAME-07]", async ({ browser, member }) => {
    await openGameAccount(member, 'pg');
    const page = await openHomeOn(browser, member, { userAgent: LINE_AGENT });
    await buttonByName(await openGameDialog(page, GAMES.pg), translate('game:play')).click();
    await expect(page.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(page.context().pages()).toHaveLength(1);
    await leavePage(page);
  });
});

test.describe('a game’s site and apps', () => {
  test('joker2 and usun have working Android and iOS links, and no web link [R-GAME-04]', async ({
    memberPage,
    member,
    context,
  }) => {
    for (const code of ['joker2', 'usun'] as const) await openGameAccount(member, code);
    await openHome(memberPage);
    for (const code of ['joker2', 'usun'] as const) {
      const launchWays = (await openGameDialog(memberPage, GAMES[code])).getByRole('region', {
        name: translate('game:otherWays'),
      });
      await expect(launchWays.getByRole('link')).toHaveText([translate('game:way.android'), translate('game:way.ios')]);
      for (const link of await launchWays.getByRole('link').all()) {
        await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
        const [store] = await Promise.all([context.waitForEvent('page'), link.click()]);
        await expect(store.getByRole('heading', { level: 1 })).toHaveText(await readProviderTitle(code));
        expect(await store.evaluate(() => window.opener)).toBeNull();
        await store.close();
      }
      await memberPage.keyboard.press('Escape');
      await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    }
  });

  test('huayhd has a web link with manual sign-in; a game without links shows none [R-GAME-04]', async ({
    memberPage,
    member,
    context,
  }) => {
    const { username, password } = await openGameAccount(member, 'huayhd');
    await openGameAccount(member, 'pg');
    await openHome(memberPage);
    const openLaunchWays = async (name: string): Promise<Locator> =>
      (await openGameDialog(memberPage, name)).getByRole('region', { name: translate('game:otherWays') });
    const link = (await openLaunchWays(GAMES.huayhd)).getByRole('link');
    await expect(link).toHaveText([translate('game:way.web')]);
    const [site] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await expect(site.getByRole('heading', { level: 1 })).toHaveText(await readProviderTitle('huayhd'));
    await site.getByLabel('ชื่อผู้ใช้').fill(username);
    await site.getByLabel('รหัสผ่าน', { exact: true }).fill(password);
    await site.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
    await expect(creditDisplay(site)).toHaveText(/^฿?0\.00$/);
    await memberPage.keyboard.press('Escape');
    await expect(await openLaunchWays(GAMES.pg)).toHaveCount(0);
  });

  const phones = [
    { name: 'Android', userAgent: ANDROID_AGENT, order: ['android', 'web', 'ios'] },
    { name: 'an iPhone', userAgent: IPHONE_AGENT, order: ['ios', 'web', 'android'] },
  ] as const;
  for (const { name, userAgent, order } of phones) {
    test(`on ${name} the link of that platform is first, and an address with script is not a link [R-GAME-04]`, async ({
      browser,
      member,
    }) => {
      await openGameAccount(member, 'joker2');
      await openGameAccount(member, 'pg');
      const page = await openHomeOn(browser, member, { userAgent });
      // Operators set these addresses: the test uses an app's own scheme and an invalid address.
      await page.route('**/api/wallet', async (route) => {
        const serverReply = await route.fetch();
        const wallet = (await serverReply.json()) as { slots: { code: string }[] };
        const slots = wallet.slots.map((slot) => {
          if (slot.code === 'joker2') return { ...slot, web: 'https://joker.example/', android: 'joker://open' };
          return slot.code === 'pg' ? { ...slot, web: 'javascript:alert(1)', android: 'data:text/html,x' } : slot;
        });
        await route.fulfill({ response: serverReply, json: { ...wallet, slots } });
      });
      await page.reload();
      const launchWays = (await openGameDialog(page, GAMES.joker2)).getByRole('region', {
        name: translate('game:otherWays'),
      });
      await expect(launchWays.getByRole('link')).toHaveText(
        order.map((launchKind) => translate(`game:way.${launchKind}`)),
      );
      const app = launchWays.getByRole('link', { name: translate('game:way.android') });
      await expect(app).toHaveAttribute('href', 'joker://open');
      await expect(app).not.toHaveAttribute('target');
      await page.keyboard.press('Escape');
      const pg = await openGameDialog(page, GAMES.pg);
      await expect(buttonByName(pg, translate('game:play'))).toBeVisible();
      await expect(pg.getByRole('region', { name: translate('game:otherWays') })).toHaveCount(0);
      await leavePage(page);
    });
  }
});
