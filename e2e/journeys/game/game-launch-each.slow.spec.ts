import type { Page } from '@playwright/test';
import { type GameCode, GAMES, openGameDialog, playInNewTab, roundsOf } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { beginDraw, player } from '../../support/outside.ts';
import { betOnPage, creditShown, type GameKind } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';

/** Each game that opens by a link, what it is played on, and whether its launch path ends with the password. */
const LINKS = [
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
  slots: LINKS.filter(({ kind }) => kind === 'slot'),
  'sports and draws': LINKS.filter(({ kind }) => kind !== 'slot'),
};

/** The paths of the app's calls for a link, from now on. */
function launchCalls(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith('/api/autoLogin/')) paths.push(pathname);
  });
  return paths;
}

test.describe('a game that opens by a link', () => {
  // Of one member, on one home page: a page for each takes a second and a half.
  for (const [what, links] of Object.entries(LINKS_BY_KIND))
    test(`${what}: ${links.map(({ code }) => code).join(', ')} open pages that play, signed in as the member, with no way back into the app [R-GAME-05]`, async ({
      memberPage,
      member,
      context,
    }) => {
      test.setTimeout(300_000);
      await fund(member, 20 * links.length);
      const logins = new Map<GameCode, { username: string; password: string }>();
      for (const { code } of links) {
        logins.set(code, await openGame(member, code));
        await transfer(member, 'WALLET', code, 20);
      }
      await openHome(memberPage);
      const calls = launchCalls(memberPage);
      for (const { code, kind, needsPassword } of links)
        await test.step(code, async () => {
          const { username = '', password = '' } = logins.get(code) ?? {};
          const credit = (await player(code, username)).balance;
          if (kind === 'lotto') await beginDraw(code);
          const dialog = await openGameDialog(memberPage, GAMES[code]);
          const game = await playInNewTab(context, dialog);
          await expect(creditShown(game)).toHaveText(new RegExp(`^฿?${credit}$`));
          expect(calls.splice(0)).toEqual([`/api/autoLogin/${code}/${username}${needsPassword ? `/${password}` : ''}`]);
          expect(await game.evaluate(() => window.opener)).toBeNull();
          expect(game.url()).not.toContain(password);
          expect(await game.evaluate(() => history.length)).toBe(1);
          await betOnPage(game, kind);
          await expect.poll(() => roundsOf(code, username)).toBe(1);
          await game.close();
          await memberPage.keyboard.press('Escape');
          await expect(dialog).toBeHidden();
        });
    });

  test('each game of a provider has an account of its own and opens as what its card shows [R-GAME-05]', async ({
    memberPage,
    context,
  }) => {
    test.setTimeout(150_000);
    await openHome(memberPage);
    for (const name of ['ตลาดน้ำยามค่ำ', 'อัญมณีใต้ธาร', 'ลูกเต๋าเก้าลูก', 'หวยลูกทอง', 'PG SLOT', 'Royal Palace']) {
      const dialog = await openGameDialog(memberPage, name);
      await button(dialog, 'เปิดบัญชี').click();
      const [game] = await Promise.all([context.waitForEvent('page'), button(dialog, 'เข้าเล่น').click()]);
      await expect(game.getByRole('heading', { name, exact: true })).toBeVisible();
      await game.close();
      await memberPage.keyboard.press('Escape');
      await expect(dialog).toBeHidden();
    }
  });
});
