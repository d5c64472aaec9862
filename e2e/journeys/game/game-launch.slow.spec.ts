import { creditDisplay } from '../../support/game-bets.ts';
import {
  dialogAmount,
  waitForBalancesRequest,
  GAMES,
  simulateTabReturn,
  openGameFromHome,
  playInNewTab,
  reopenGameDialog,
} from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { playRound, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('a game that opens by a link', () => {
  test('when the browser blocks the new tab, one button opens a game that has a link [R-GAME-05]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    await memberPage.evaluate(() => {
      window.open = () => null;
    });
    await buttonByName(dialog, translate('game:play')).click();
    const link = dialog.getByRole('link', { name: translate('game:blockedLink', { name: GAMES.pg }) });
    await expect(link).toHaveAttribute('rel', 'noopener noreferrer');
    const [game] = await Promise.all([context.waitForEvent('page'), link.click()]);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(await game.evaluate(() => window.opener)).toBeNull();
  });

  test('a new tab that the app cannot navigate counts as blocked', async ({ memberPage, member, context }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    await memberPage.evaluate(() => {
      // Simulates browsers inside other apps, where window.open returns no usable tab.
      window.open = () =>
        ({
          closed: false,
          close: () => undefined,
          get document(): Document {
            throw new DOMException('not ours', 'SecurityError');
          },
        }) as unknown as Window;
    });
    await buttonByName(dialog, translate('game:play')).click();
    await expect(dialog.getByRole('link', { name: translate('game:blockedLink', { name: GAMES.pg }) })).toBeVisible();
    expect(context.pages()).toHaveLength(1);
  });

  test('offline a game does not open, which is reported immediately, and its tab closes', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    await context.setOffline(true);
    // The page is notified a moment later.
    await expect(dialog.getByText(translate('common:offline.now'))).toBeVisible();
    await buttonByName(dialog, translate('game:play')).click();
    await expect(dialog.getByRole('alert')).toContainText(translate('common:offline.unsent'));
    await expect.poll(() => context.pages().length).toBe(1);
    await context.setOffline(false);
  });
});

test.describe('a game whose tab or link fails', () => {
  test.beforeEach(async ({ memberPage }) => openHome(memberPage));

  test("closing the game's tab before the link arrives leaves a button that opens the game", async ({
    memberPage,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    const { promise: isClosed, resolve: closeTab } = Promise.withResolvers<void>();
    await memberPage.route('**/api/autoLogin/**', async (route) => {
      await isClosed;
      await route.continue();
    });
    const waitingTab = await playInNewTab(context, dialog);
    await expect(waitingTab.getByText(translate('game:launchPage', { name: GAMES.pg }))).toBeVisible();
    await waitingTab.close();
    closeTab();
    await expect(dialog.getByRole('link', { name: translate('game:blockedLink', { name: GAMES.pg }) })).toBeVisible();
  });

  test("a member who does not see the new tab can open the game in the app's tab", async ({
    memberPage,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    const gameTab = await playInNewTab(context, dialog);
    await expect(gameTab.getByRole('button', { name: 'หมุน' })).toBeVisible();
    await gameTab.close();
    await buttonByName(dialog, translate('game:openHere')).click();
    await expect(memberPage.getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect(context.pages()).toHaveLength(1);
  });

  test('money that was transferred stays in a game that then fails to open, and the dialog says so [R-GAME-03]', async ({
    memberPage,
    member,
    context,
  }) => {
    await fundWallet(member, 50);
    const { username } = await openGameAccount(member, 'pg');
    const dialog = await openGameFromHome(memberPage, 'pg');
    await memberPage.route('**/api/autoLogin/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'LAUNCH_REFUSED' } }),
    );
    await dialog.getByLabel(translate('game:amount')).fill('30');
    await buttonByName(dialog, translate('game:transferAndPlay')).click();
    const launchAlert = dialog.getByRole('alert').filter({ hasText: translate('game:launchFailed') });
    await expect(launchAlert).toContainText(translate('game:launchTrouble.LAUNCH_REFUSED'));
    await expect(launchAlert).not.toContainText(translate('errors:errorMsg.GAME_ACTIVATION_FAIL'));
    await expect(launchAlert).toContainText(translate('game:launchMoneyIn'));
    await expect(buttonByName(launchAlert, translate('errors:support.ask'))).toBeVisible();
    await expect(launchAlert).toBeInViewport();
    await expect.poll(() => context.pages().length).toBe(1);
    expect((await readWallet(member)).wallet.amount).toBe(20);
    expect(Number((await readGamePlayer('pg', username)).balance)).toBe(30);
    // The typed amount is already transferred: the next press transfers nothing.
    await memberPage.unroute('**/api/autoLogin/**');
    const game = await playInNewTab(context, dialog);
    await expect(creditDisplay(game)).toHaveText('30.00');
    await expect(launchAlert).toHaveCount(0);
    expect((await readWallet(member)).wallet.amount).toBe(20);
  });

  test('coming back from a game shows the wins and losses [R-GAME-08]', async ({ memberPage, member, context }) => {
    await fundWallet(member, 50);
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 50);
    const dialog = await openGameFromHome(memberPage, 'pg');
    const game = await playInNewTab(context, dialog);
    await expect(creditDisplay(game)).toHaveText('50.00');
    await playRound('pg', username, 10, 3);
    await simulateTabReturn(memberPage);
    await expect(dialogAmount(dialog, '43.00')).toBeVisible();
    await waitForBalancesRequest(memberPage);
    // Also after the dialog was closed.
    await memberPage.keyboard.press('Escape');
    await playRound('pg', username, 10, 30);
    await simulateTabReturn(memberPage);
    await expect(memberPage.getByRole('button', { name: 'PG SLOT ฿63.00' })).toBeVisible();
  });

  test('coming back from a game while balances are loading requests them again, so that the latest play is included [R-GAME-08]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openHome(memberPage);
    await fundWallet(member, 50);
    const { username } = await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 50);
    const isAsked = Promise.withResolvers<void>();
    const launchRelease = Promise.withResolvers<void>();
    await memberPage.route(
      '**/api/wallet/refresh/slot',
      async (route) => {
        const response = await route.fetch();
        isAsked.resolve();
        await launchRelease.promise;
        await route.fulfill({ response });
      },
      { times: 1 },
    );
    const dialog = await reopenGameDialog(memberPage, 'pg');
    const game = await playInNewTab(context, dialog);
    await expect(creditDisplay(game)).toHaveText('50.00');
    await isAsked.promise;
    await playRound('pg', username, 10, 3);
    await simulateTabReturn(memberPage);
    launchRelease.resolve();
    await expect(dialogAmount(dialog, '43.00')).toBeVisible();
  });
});
