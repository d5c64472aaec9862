import {
  amountIn,
  balancesTold,
  GAMES,
  lookAgain,
  openGameAtHome,
  playInNewTab,
  reopenHome,
} from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { play, player } from '../../support/outside.ts';
import { creditShown } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';
import { button } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('a game that opens by a link', () => {
  test('when the browser holds the tab back, the game is one press away [R-GAME-05]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await memberPage.evaluate(() => {
      window.open = () => null;
    });
    await button(dialog, say('game:play')).click();
    const link = dialog.getByRole('link', { name: say('game:blockedLink', { name: GAMES.pg }) });
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    const [game] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(await game.evaluate(() => window.opener)).toBeNull();
  });

  test('a tab that can’t be written into counts as held back', async ({ memberPage, member, context }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await memberPage.evaluate(() => {
      // As in browsers inside other apps: window.open returns no usable tab.
      window.open = () =>
        ({
          closed: false,
          close: () => undefined,
          get document(): Document {
            throw new DOMException('not ours', 'SecurityError');
          },
        }) as unknown as Window;
    });
    await button(dialog, say('game:play')).click();
    await expect(dialog.getByRole('link', { name: say('game:blockedLink', { name: GAMES.pg }) })).toBeVisible();
    expect(context.pages()).toHaveLength(1);
  });

  test('without a line the game doesn’t open, which is said at once, and its tab closes', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await context.setOffline(true);
    // The page is notified a moment later.
    await expect(dialog.getByText(say('common:offline.now'))).toBeVisible();
    await button(dialog, say('game:play')).click();
    await expect(dialog.getByRole('alert')).toContainText(say('common:offline.unsent'));
    await expect.poll(() => context.pages().length).toBe(1);
    await context.setOffline(false);
  });
});

test.describe('a game whose tab or link fails', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test('a tab that is closed before the link has come leaves the game one press away', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    const { promise: isClosed, resolve: letGo } = Promise.withResolvers<void>();
    await memberPage.route('**/api/autoLogin/**', async (route) => {
      await isClosed;
      await route.continue();
    });
    const waiting = await playInNewTab(context, dialog);
    await expect(waiting.getByText(say('game:launchPage', { name: GAMES.pg }))).toBeVisible();
    await waiting.close();
    letGo();
    await expect(dialog.getByRole('link', { name: say('game:blockedLink', { name: GAMES.pg }) })).toBeVisible();
  });

  test('a member who doesn’t see the new tab can open the game in the app’s own', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    const tab = await playInNewTab(context, dialog);
    await expect(tab.getByRole('button', { name: 'หมุน' })).toBeVisible();
    await tab.close();
    await button(dialog, say('game:openHere')).click();
    await expect(memberPage.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(context.pages()).toHaveLength(1);
  });

  test('money that went in stays in when the game then doesn’t open, and the dialog says so [R-GAME-03]', async ({
    memberPage,
    member,
    context,
  }) => {
    await fund(member, 50);
    const { username } = await openGame(member, 'pg');
    const dialog = await openGameAtHome(memberPage, 'pg');
    await memberPage.route('**/api/autoLogin/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'LAUNCH_REFUSED' } }),
    );
    await dialog.getByLabel(say('game:amount')).fill('30');
    await button(dialog, say('game:transferAndPlay')).click();
    const trouble = dialog.getByRole('alert').filter({ hasText: say('game:launchFailed') });
    await expect(trouble).toContainText(say('game:launchTrouble.LAUNCH_REFUSED'));
    await expect(trouble).toContainText(say('game:launchMoneyIn'));
    await expect(trouble).toBeInViewport();
    await expect.poll(() => context.pages().length).toBe(1);
    expect((await walletOf(member)).wallet.amount).toBe(20);
    expect(Number((await player('pg', username)).balance)).toBe(30);
    // What was typed is in: the next press moves nothing.
    await memberPage.unroute('**/api/autoLogin/**');
    const game = await playInNewTab(context, dialog);
    await expect(creditShown(game)).toHaveText('30.00');
    await expect(trouble).toHaveCount(0);
    expect((await walletOf(member)).wallet.amount).toBe(20);
  });

  test('coming back from a game shows what was won or lost there [R-GAME-08]', async ({
    memberPage,
    member,
    context,
  }) => {
    await fund(member, 50);
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 50);
    const dialog = await openGameAtHome(memberPage, 'pg');
    const game = await playInNewTab(context, dialog);
    await expect(creditShown(game)).toHaveText('50.00');
    await play('pg', username, 10, 3);
    await lookAgain(memberPage);
    await expect(amountIn(dialog, '43.00')).toBeVisible();
    await balancesTold(memberPage);
    // Also after the dialog was closed.
    await memberPage.keyboard.press('Escape');
    await play('pg', username, 10, 30);
    await lookAgain(memberPage);
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿63.00' })).toBeVisible();
  });

  test('coming back while the balances are still being asked for asks once more: what was played meanwhile shows [R-GAME-08]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openHome(memberPage);
    await fund(member, 50);
    const { username } = await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 50);
    const isAsked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    await memberPage.route(
      '**/api/wallet/refresh/slot',
      async (route) => {
        const response = await route.fetch();
        isAsked.resolve();
        await release.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const dialog = await reopenHome(memberPage, 'pg');
    const game = await playInNewTab(context, dialog);
    await expect(creditShown(game)).toHaveText('50.00');
    await isAsked.promise;
    await play('pg', username, 10, 3);
    await lookAgain(memberPage);
    release.resolve();
    await expect(amountIn(dialog, '43.00')).toBeVisible();
  });
});
