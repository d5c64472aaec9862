import { GAMES, openGameAtHome, outsideRequests, playInNewTab, roundsOf } from '../../support/game.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { beginDraw, outsideUrl, player } from '../../support/outside.ts';
import { betOnPage, creditShown } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('a game that opens by a form', () => {
  const forms = [
    { code: 'naga', kind: 'slot', most: Infinity, rule: 'username and password' },
    { code: 'saming', kind: 'sports', most: 16, rule: 'at most 16 characters of each' },
  ] as const;
  test(`${forms.map(({ code, rule }) => `${code} gets ${rule} posted`).join(', ')}; each opens signed in, and no address or history holds them [R-GAME-06]`, async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(120_000);
    for (const { code, kind, most } of forms) {
      await fund(member, 50);
      const { username, password } = await openGame(member, code);
      await transfer(member, 'WALLET', code, 20);
      const dialog = await openGameAtHome(memberPage, code);
      const made = outsideRequests(context);
      const game = await playInNewTab(context, dialog);
      await expect(creditShown(game)).toHaveText(new RegExp(`^฿?${(await player(code, username)).balance}$`));

      const [post, ...others] = made.filter((request) => request.method() === 'POST' && request.isNavigationRequest());
      expect(others).toHaveLength(0);
      const posted = new URLSearchParams(post?.postData() ?? '');
      expect(posted.get('username')).toBe(username);
      expect(posted.get('password')).toBe(password);
      // Where a game was left for, its site leads back to.
      await expect(game.getByRole('link', { name: 'กลับไปกระเป๋า' })).toHaveAttribute(
        'href',
        posted.get('return_url') ?? '',
      );
      expect(new URL(posted.get('return_url') ?? '').origin).toBe(process.env.KRAPAO_URL);
      for (const field of ['username', 'password']) expect(posted.get(field)?.length).toBeLessThanOrEqual(most);
      for (const request of made) expect(request.url()).not.toContain(password);
      expect(await game.evaluate(() => history.length)).toBe(1);
      expect(await game.evaluate(() => window.opener)).toBeNull();

      await betOnPage(game, kind);
      await expect.poll(() => roundsOf(code, username)).toBe(1);
      await game.close();
    }
  });

  test('when the browser holds the tab back, the form is one press away [R-GAME-06]', async ({
    memberPage,
    member,
    context,
  }) => {
    const { password } = await openGame(member, 'naga');
    const dialog = await openGameAtHome(memberPage, 'naga');
    await memberPage.evaluate(() => {
      window.open = () => null;
    });
    await button(dialog, say('game:play')).click();
    const [game] = await Promise.all([
      context.waitForEvent('page'),
      button(dialog, say('game:blockedLink', { name: GAMES.naga })).click(),
    ]);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(game.url()).not.toContain(password);
    expect(await game.evaluate(() => window.opener)).toBeNull();
  });
});

test.describe('a game with one fixed site', () => {
  test('royal opens its site; with the login copied from the dialog one signs in there and plays [R-GAME-06]', async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(150_000);
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await fund(member, 50);
    const { username, password } = await openGame(member, 'royal');
    await transfer(member, 'WALLET', 'royal', 20);
    const dialog = await openGameAtHome(memberPage, 'royal');
    const login = dialog.getByRole('region', { name: say('game:credentials') });
    await expect(login).toContainText(username);
    await expect(login).toContainText(password);
    const copied = async (label: string, what: string): Promise<string> => {
      await button(login, `${say('parts:copy')} ${label}`).click();
      await expect.poll(() => memberPage.evaluate(() => navigator.clipboard.readText())).toBe(what);
      return what;
    };
    await beginDraw('royal');
    const calls: string[] = [];
    memberPage.on('request', (request) => calls.push(new URL(request.url()).pathname));
    const site = await playInNewTab(context, dialog);
    await expect(site).toHaveURL(`${outsideUrl()}/games/royal/`);
    expect(calls.filter((path) => path.startsWith('/api/autoLogin/'))).toHaveLength(0);
    await site.getByLabel('ชื่อผู้ใช้').fill(await copied(say('game:username'), username));
    await site.getByLabel('รหัสผ่าน', { exact: true }).fill(await copied(say('game:password'), password));
    await site.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
    await expect(creditShown(site)).toHaveText(/^฿?20\.00$/);
    await betOnPage(site, 'lotto');
    await expect.poll(() => roundsOf('royal', username)).toBe(1);
  });
});
