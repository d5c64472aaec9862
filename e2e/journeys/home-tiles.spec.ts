import { openHome } from '../support/home.ts';
import { newAddress } from '../support/member.ts';
import { readQr } from '../support/read-qr.ts';
import { expect, test } from '../support/test.ts';
import { button, dialog } from '../support/walk.ts';
import { speaking } from '../support/words.ts';

const say = speaking('th');

test.describe('what can be done from home', () => {
  test('six tiles: deposit, withdraw, refresh while the wheel is closed, invite, bonus conditions, refund; each does its own [R-HOME-03]', async ({
    memberPage: page,
  }) => {
    const asked = page.waitForResponse('**/api/spinwheel/active');
    await openHome(page);
    expect(await (await asked).json()).toEqual({ isActive: false });
    const tiles = page.getByRole('group', { name: say('home:actions') });
    await expect(tiles.locator(':scope > *')).toHaveText(
      ['deposit', 'withdraw', 'refreshAll', 'invite', 'bonusConditions', 'refund'].map((key) => say(`home:${key}`)),
    );
    for (const [tile, title] of [
      ['deposit', 'deposit:title'],
      ['withdraw', 'withdraw:title'],
      ['invite', 'invite:title'],
      ['refund', 'refund:title'],
    ] as const) {
      await button(tiles, say(`home:${tile}`)).click();
      await expect(dialog(page, say(title))).toBeVisible();
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toHaveCount(0);
    }
    const refreshed = page.waitForResponse('**/api/wallet/refresh/slot');
    await button(tiles, say('home:refreshAll')).click();
    expect((await refreshed).status()).toBe(200);
    await button(page, say('home:transfer')).click();
    await expect(dialog(page, say('transfer:title'))).toBeVisible();
    await page.keyboard.press('Escape');
    await tiles.getByRole('link', { name: say('home:bonusConditions') }).click();
    await expect(page).toHaveURL(/\/user\/bonus$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('bonus:title'));
    await expect(page.getByText(say('bonus:none'))).toBeVisible();
  });

  test('while the wheel is open its tile stands in the place of refresh, with the coins [R-HOME-03]', async ({
    memberPage: page,
  }) => {
    await page.route('**/api/spinwheel/active', (route) => route.fulfill({ json: { isActive: true } }));
    await page.route('**/api/wallet', async (route) => {
      const answer = await route.fetch();
      const wallet = (await answer.json()) as { profile: object };
      await route.fulfill({ response: answer, json: { ...wallet, profile: { ...wallet.profile, coin: 12 } } });
    });
    await openHome(page);
    const tiles = page.getByRole('group', { name: say('home:actions') }).locator(':scope > *');
    await expect(tiles).toHaveCount(6);
    await expect(tiles.nth(2)).toContainText(say('home:spin'));
    await expect(page.getByRole('button', { name: say('home:refreshAll') })).toHaveCount(0);
    await page.getByRole('link', { name: `${say('home:coins_other', { count: 12 })} ${say('home:spin')}` }).click();
    await expect(page).toHaveURL(/\/user\/spin$/);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('spin:title'));
    await expect(page.getByText(say('spin:closed'))).toBeVisible();
    await expect(page.getByRole('definition').first()).toHaveText('12');
  });

  test('an answer that never comes leaves refresh in the wheel’s place', async ({ memberPage: page }) => {
    await page.route('**/api/spinwheel/active', (route) => route.abort());
    await openHome(page);
    await expect(button(page, say('home:refreshAll'))).toBeVisible();
    await expect(page.locator('[data-toast]')).toHaveCount(0);
  });

  test('the invite link is the register page with PR and the user id: to read, to scan, to copy, to share, and to use', async ({
    memberPage: page,
    member,
    context,
    browser,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.addInitScript(() => {
      Object.assign(navigator, { share: async (what: object) => Object.assign(globalThis, { shared: what }) });
    });
    await openHome(page);
    const link = new URL(`/register?code=PR${member.id}`, page.url()).href;
    await button(page, say('home:invite')).click();
    const sheet = dialog(page, say('invite:title'));
    await expect(sheet.getByLabel(say('invite:link'))).toHaveValue(link);
    const picture = sheet.getByRole('img', { name: say('invite:qr') });
    await expect.poll(async () => readQr(await picture.screenshot({ animations: 'disabled' }))).toBe(link);
    await button(sheet, say('invite:copy')).click();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
    await button(sheet, say('invite:share')).click();
    expect(await page.evaluate(() => (globalThis as unknown as { shared: unknown }).shared)).toEqual({
      text: say('invite:shareText', { name: 'Krapao' }),
      url: link,
    });

    const friend = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': newAddress() } });
    const theirs = await friend.newPage();
    await theirs.goto(link);
    await expect(theirs.getByRole('heading', { level: 1 })).toHaveText(say('register:title'));
    expect(await theirs.evaluate(() => localStorage.getItem('invite code'))).toBe(`PR${member.id}`);
    await friend.close();
  });
});
