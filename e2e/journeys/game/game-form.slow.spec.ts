import { placeBetOnPage, creditDisplay } from '../../support/game-bets.ts';
import { GAMES, openGameFromHome, recordExternalRequests, playInNewTab, countGameRounds } from '../../support/game.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { startLottoDraw, simulatorsUrl, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('a game that opens by a form', () => {
  const FORM_CASES = [
    { code: 'naga', kind: 'slot', most: Infinity, rule: 'username and password' },
    { code: 'saming', kind: 'sports', most: 16, rule: 'at most 16 characters of each' },
  ] as const;
  test(`${FORM_CASES.map(({ code, rule }) => `${code} gets ${rule} posted`).join(', ')}; each opens signed in, and no address or history holds them [R-GAME-06]`, async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(120_000);
    for (const { code, kind, most } of FORM_CASES) {
      await fundWallet(member, 50);
      const { username, password } = await openGameAccount(member, code);
      await transferMoney(member, 'WALLET', code, 20);
      const dialog = await openGameFromHome(memberPage, code);
      const externalRequests = recordExternalRequests(context);
      const game = await playInNewTab(context, dialog);
      await expect(creditDisplay(game)).toHaveText(new RegExp(`^฿?${(await readGamePlayer(code, username)).balance}$`));

      const [formPost, ...otherRequests] = externalRequests.filter(
        (request) => request.method() === 'POST' && request.isNavigationRequest(),
      );
      expect(otherRequests).toHaveLength(0);
      const postedFields = new URLSearchParams(formPost?.postData() ?? '');
      expect(postedFields.get('username')).toBe(username);
      expect(postedFields.get('password')).toBe(password);
      // The game's site links back to the page that opened the game.
      await expect(game.getByRole('link', { name: 'กลับไปกระเป๋า' })).toHaveAttribute(
        'href',
        postedFields.get('return_url') ?? '',
      );
      expect(new URL(postedFields.get('return_url') ?? '').origin).toBe(process.env.KRAPAO_URL);
      for (const field of ['username', 'password']) expect(postedFields.get(field)?.length).toBeLessThanOrEqual(most);
      for (const request of externalRequests) expect(request.url()).not.toContain(password);
      expect(await game.evaluate(() => history.length)).toBe(1);
      expect(await game.evaluate(() => window.opener)).toBeNull();

      await placeBetOnPage(game, kind);
      await expect.poll(() => countGameRounds(code, username)).toBe(1);
      await game.close();
    }
  });

  test('when the browser blocks the new tab, one button opens a game that posts a form [R-GAME-06]', async ({
    memberPage,
    member,
    context,
  }) => {
    const { password } = await openGameAccount(member, 'naga');
    const dialog = await openGameFromHome(memberPage, 'naga');
    await memberPage.evaluate(() => {
      window.open = () => null;
    });
    await buttonByName(dialog, translate('game:play')).click();
    const [game] = await Promise.all([
      context.waitForEvent('page'),
      buttonByName(dialog, translate('game:blockedLink', { name: GAMES.naga })).click(),
    ]);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(game.url()).not.toContain(password);
    expect(await game.evaluate(() => window.opener)).toBeNull();
  });
});

test.describe('a game with one fixed site', () => {
  test('royal opens its fixed site, where the login copied from the dialog works [R-GAME-06]', async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(150_000);
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await fundWallet(member, 50);
    const { username, password } = await openGameAccount(member, 'royal');
    await transferMoney(member, 'WALLET', 'royal', 20);
    const dialog = await openGameFromHome(memberPage, 'royal');
    const login = dialog.getByRole('region', { name: translate('game:credentials') });
    await expect(login).toContainText(username);
    await expect(login).toContainText(password);
    const copyField = async (label: string, fieldName: string): Promise<string> => {
      await buttonByName(login, `${translate('parts:copy')} ${label}`).click();
      await expect.poll(() => memberPage.evaluate(() => navigator.clipboard.readText())).toBe(fieldName);
      return fieldName;
    };
    await startLottoDraw('royal');
    const launchPaths: string[] = [];
    memberPage.on('request', (request) => launchPaths.push(new URL(request.url()).pathname));
    const site = await playInNewTab(context, dialog);
    await expect(site).toHaveURL(`${simulatorsUrl()}/games/royal/`);
    expect(launchPaths.filter((path) => path.startsWith('/api/autoLogin/'))).toHaveLength(0);
    await site.getByLabel('ชื่อผู้ใช้').fill(await copyField(translate('game:username'), username));
    await site.getByLabel('รหัสผ่าน', { exact: true }).fill(await copyField(translate('game:password'), password));
    await site.getByRole('button', { name: 'เข้าสู่ระบบ' }).click();
    await expect(creditDisplay(site)).toHaveText(/^฿?20\.00$/);
    await placeBetOnPage(site, 'lotto');
    await expect.poll(() => countGameRounds('royal', username)).toBe(1);
  });
});
