import { GAMES, openGameDialog } from '../support/game.ts';
import { openHome } from '../support/home.ts';
import { appUrl, newMember } from '../support/member.ts';
import { openGame } from '../support/money.ts';
import { launchSystem, type RunningSystem } from '../support/start-system.ts';
import { expect, signIn, test } from '../support/test.ts';
import { button } from '../support/walk.ts';
import { speaking } from '../support/words.ts';

const say = speaking('th');

/** A system of its own, with the settings of an operator who wants it so. */
test.describe('GAME_TAB and GAME_SITE', () => {
  const before = { app: process.env.KRAPAO_URL, outside: process.env.SIMULATORS_URL };
  let system: RunningSystem;

  test.beforeAll(async () => {
    test.setTimeout(120_000);
    system = await launchSystem({ GAME_TAB: 'same', GAME_SITE: 'la' });
    process.env.KRAPAO_URL = system.url;
    process.env.SIMULATORS_URL = system.simulatorsUrl;
  });
  test.afterAll(async () => {
    process.env.KRAPAO_URL = before.app;
    process.env.SIMULATORS_URL = before.outside;
    await system?.stop();
  });

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
