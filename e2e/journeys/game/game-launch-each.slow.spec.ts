import type { Page } from '@playwright/test';
import { placeBetOnPage, creditDisplay, type GameKind } from '../../support/game-bets.ts';
import { type GameCode, GAMES, openGameDialog, playInNewTab, countGameRounds } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { startLottoDraw, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName } from '../../support/user-actions.ts';

/** Games that open by a link: their kind, and whether the launch path ends with the password. */
const LINK_GAMES = [
  { code: 'pg', kind: 'slot', needsPassword: false },
  { code: 'betflix', kind: 'slot', needsPassword: false },
  { code: 'areaslot', kind: 'slot', needsPassword: false },
  { code: 'joker2', kind: 'slot', needsPassword: false },
  { code: 'huayhd', kind: 'lotto', needsPassword: false },
  { code: 'askmebet', kind: 'sports', needsPassword: true },
  { code: 'imi', kind: 'sports', needsPassword: true },
  { code: 'usun', kind: 'sports', needsPassword: true },
  { code: 'circus', kind: 'sports', needsPassword: true },
  { code: 'slotracha', kind: 'slot', needsPassword: true },
  { code: 'pgslot', kind: 'slot', needsPassword: true },
] as const satisfies readonly { code: GameCode; kind: GameKind; needsPassword: boolean }[];

const LINKS_BY_KIND = {
  slots: LINK_GAMES.filter(({ kind }) => kind === 'slot'),
  'sports and draws': LINK_GAMES.filter(({ kind }) => kind !== 'slot'),
};

/** Records the paths of the app's launch calls from now on. */
function recordLaunchCalls(page: Page): string[] {
  const launchPaths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/autoLogin/')) launchPaths.push(pathname);
  });
  return launchPaths;
}

test.describe('a game that opens by a link', () => {
  // One member on one home page: opening a page per game would take a second and a half each.
  for (const [linkKind, links] of Object.entries(LINKS_BY_KIND))
    test(`${linkKind}: ${links.map(({ code }) => code).join(', ')} open playable pages, signed in, without access to the app's window [R-GAME-05]`, async ({
      memberPage,
      member,
      context,
    }) => {
      test.setTimeout(300_000);
      await fundWallet(member, 20 * links.length);
      const loginsByGame = new Map<GameCode, { username: string; password: string }>();
      for (const { code } of links) {
        loginsByGame.set(code, await openGameAccount(member, code));
        await transferMoney(member, 'WALLET', code, 20);
      }
      await openHome(memberPage);
      const launchPaths = recordLaunchCalls(memberPage);
      for (const { code, kind, needsPassword } of links)
        await test.step(code, async () => {
          const { username = '', password = '' } = loginsByGame.get(code) ?? {};
          const credit = (await readGamePlayer(code, username)).balance;
          if (kind === 'lotto') await startLottoDraw(code);
          const dialog = await openGameDialog(memberPage, GAMES[code]);
          const game = await playInNewTab(context, dialog);
          await expect(creditDisplay(game)).toHaveText(new RegExp(`^฿?${credit}$`));
          expect(launchPaths.splice(0)).toEqual([
            `/api/autoLogin/${code}/${username}${needsPassword ? `/${password}` : ''}`,
          ]);
          expect(await game.evaluate(() => window.opener)).toBeNull();
          expect(game.url()).not.toContain(password);
          expect(await game.evaluate(() => history.length)).toBe(1);
          await placeBetOnPage(game, kind);
          await expect.poll(() => countGameRounds(code, username)).toBe(1);
          await game.close();
          await memberPage.keyboard.press('Escape');
          await expect(dialog).toBeHidden();
        });
    });

  test('each game of a provider has its own account and opens as the game shown on its card [R-GAME-05]', async ({
    memberPage,
    context,
  }) => {
    test.setTimeout(150_000);
    await openHome(memberPage);
    for (const name of ['ตลาดน้ำยามค่ำ', 'อัญมณีใต้ธาร', 'ลูกเต๋าเก้าลูก', 'หวยลูกทอง', 'PG SLOT', 'Royal Palace']) {
      const dialog = await openGameDialog(memberPage, name);
      // A site where members log in by hand needs the account first; elsewhere playing opens it.
      if (name === 'Royal Palace') await buttonByName(dialog, 'เปิดบัญชี').click();
      const [game] = await Promise.all([context.waitForEvent('page'), buttonByName(dialog, 'เข้าเล่น').click()]);
      await expect(game.getByRole('heading', { name, exact: true })).toBeVisible();
      await game.close();
      await memberPage.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
  });
});
