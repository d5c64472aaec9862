import { GAMES, openGameDialog } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { appUrl, newMember } from '../../support/member.ts';
import { openGame } from '../../support/money.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

/** Systems of their own, with the settings of an operator who wants it so. */
test.describe('GAME_TAB, and GAME_SITE with a country', () => {
  ownSystem({ GAME_TAB: 'same', GAME_SITE: 'la' });

  test('a game opens in the same tab, at the provider’s site of that country [R-GAME-07]', async ({ browser }) => {
    for (const code of ['askmebet', 'imi'] as const) {
      const member = await newMember();
      await openGame(member, code);
      // A browser of its own: in the same tab, who comes home has come back from the game before.
      const context = await browser.newContext({ baseURL: appUrl() });
      const page = await context.newPage();
      await signIn(page, member);
      await openHome(page);
      await button(await openGameDialog(page, GAMES[code]), say('game:play')).click();
      await page.waitForURL(new RegExp(`/games/${code}/site/la/`));
      await expect(page.locator('[data-country="la"]').first()).toBeVisible();
      expect(context.pages(), 'no tab of its own').toHaveLength(1);
      await context.close();
    }
  });
});

test.describe('GAME_SITE with a host', () => {
  // Without a setting the games are at the host of the app's address.
  ownSystem({ HOST: '0.0.0.0', GAME_SITE: '127.0.0.2' });

  test('games open at that host, by a link and by a form, and know their player there [R-GAME-07]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    for (const code of ['pg', 'naga'] as const) {
      await openGame(member, code);
      await openHome(page);
      const [game] = await Promise.all([
        context.waitForEvent('page'),
        button(await openGameDialog(page, GAMES[code]), say('game:play')).click(),
      ]);
      await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
      expect(new URL(game.url()).hostname).toBe('127.0.0.2');
      expect(new URL(game.url()).pathname).toContain(`/games/${code}/`);
      await game.close();
    }
  });
});
