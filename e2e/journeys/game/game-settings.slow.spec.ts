import { GAMES, openGameDialog } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { appUrl, newMember } from '../../support/member.ts';
import { openGameAccount } from '../../support/money.ts';
import { useSeparateSystem } from '../../support/separate-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Separate systems with other settings of an operator. */
test.describe('GAME_TAB, and GAME_SITE with a country', () => {
  useSeparateSystem({ GAME_TAB: 'same', GAME_SITE: 'la' });

  test("with GAME_TAB and GAME_SITE set, a game opens in the same tab, at the provider's site of that country [R-GAME-07]", async ({
    browser,
  }) => {
    for (const code of ['askmebet', 'imi'] as const) {
      const member = await newMember();
      await openGameAccount(member, code);
      // A separate browser: in the same tab, opening home would count as returning from the previous game.
      const context = await browser.newContext({ baseURL: appUrl() });
      const page = await context.newPage();
      await signIn(page, member);
      await openHome(page);
      await buttonByName(await openGameDialog(page, GAMES[code]), translate('game:play')).click();
      await page.waitForURL(new RegExp(`/games/${code}/site/la/`));
      await expect(page.locator('[data-country="la"]').first()).toBeVisible();
      expect(context.pages(), 'no tab of its own').toHaveLength(1);
      await context.close();
    }
  });
});

test.describe('GAME_SITE with a host', () => {
  // Without the setting, the games use the host of the app's address.
  useSeparateSystem({ HOST: '0.0.0.0', GAME_SITE: '127.0.0.2' });

  test('with a host in GAME_SITE, games open there by link and by form, signed in [R-GAME-07]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    for (const code of ['pg', 'naga'] as const) {
      await openGameAccount(member, code);
      await openHome(page);
      const [game] = await Promise.all([
        context.waitForEvent('page'),
        buttonByName(await openGameDialog(page, GAMES[code]), translate('game:play')).click(),
      ]);
      await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
      expect(new URL(game.url()).hostname).toBe('127.0.0.2');
      expect(new URL(game.url()).pathname).toContain(`/games/${code}/`);
      await game.close();
    }
  });
});
