import type { Locator, Page } from '@playwright/test';
import { GAMES, openGameDialog, openGameFromHome, playInNewTab, simulateTabReturn } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import type { Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, readWallet, transferMoney } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const TRANSFER = '**/api/wallet/transfer';

test.use({ viewport: { width: 390, height: 844 } });

/** Opens the dialog of an open game, with 300 baht in the wallet. */
async function openFundedGame(page: Page, member: Member): Promise<Locator> {
  await fundWallet(member, 300);
  await openGameAccount(member, 'pg');
  return openGameFromHome(page, 'pg');
}

/** Chooses 100 baht and presses play. */
async function playWith100(sheet: Locator): Promise<void> {
  await sheet.getByRole('button', { name: '100', exact: true }).click();
  await buttonByName(sheet, translate('game:transferAndPlay')).click();
}

/** Requests for a way into a game from now on. */
function countLaunches(page: Page): () => number {
  let count = 0;
  page.on('request', (request) => (count += request.url().includes('/api/autoLogin/') ? 1 : 0));
  return () => count;
}

test.describe('a step of play that fails says what is true of the money', () => {
  test('when the transfer of Play is refused, the dialog says that the money is in the wallet, and the game does not open [R-WALLET-03] [R-NET-08]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const sheet = await openFundedGame(page, member);
    const launches = countLaunches(page);
    await page.route(TRANSFER, (route) => route.fulfill({ status: 502, json: { message: 'TRANSFER_FAIL' } }));
    await playWith100(sheet);
    const failure = dialogByName(page, translate('transfer:failureTitle'));
    await expect(failure).toContainText(translate('errors:errorMsg.TRANSFER_FAIL'));
    await expect.poll(() => context.pages().length).toBe(1);
    expect(launches()).toBe(0);
    await buttonByName(failure, translate('common:ok')).click();
    await expect(sheet).toContainText(translate('game:inWallet', { amount: '฿300.00' }));
    // The amount is kept for another attempt.
    await page.unroute(TRANSFER);
    const opened = context.waitForEvent('page');
    await buttonByName(sheet, translate('game:transferAndPlay')).click();
    await expect((await opened).getByRole('button', { name: 'หมุน' })).toBeVisible();
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });

  test('when the transfer of Play has no outcome, the dialog says pending and safe, and the game does not open [R-WALLET-03] [R-NET-08]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const sheet = await openFundedGame(page, member);
    const launches = countLaunches(page);
    await page.route(TRANSFER, (route) =>
      route.fulfill({
        status: 202,
        json: { message: 'PROCESSING', reference: 'TREF2345678ABCD', status: 'PROCESSING', amount: 100 },
      }),
    );
    await playWith100(sheet);
    await expect(sheet.getByRole('status').filter({ hasText: translate('game:inProgress') })).toBeVisible();
    await expect.poll(() => context.pages().length).toBe(1);
    expect(launches()).toBe(0);
  });

  test('when the reply of Play is lost, the money is in one place, and trying again moves it once [R-WALLET-03]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const sheet = await openFundedGame(page, member);
    const keys: (string | undefined)[] = [];
    await page.route(TRANSFER, async (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await playWith100(sheet);
    const unknown = dialogByName(page, translate('transfer:unknownTitle'));
    await expect(unknown).toContainText(translate('transfer:unknown'));
    await expect.poll(() => context.pages().length).toBe(1);
    await buttonByName(unknown, translate('transfer:tryAgain')).click();
    await expect(page.locator('[data-toast=success]')).toContainText(
      translate('game:transferred', { amount: '฿100.00', name: GAMES.pg }),
    );
    expect(new Set(keys).size).toBe(1);
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });

  test('when the game does not open, the dialog says that the money is in the game, and the next click moves none [R-WALLET-03] [R-NET-08]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fundWallet(member, 300);
    await openHome(page);
    await page.route('**/api/autoLogin/**', (route) =>
      route.fulfill({ status: 503, json: { message: 'GAME_ACTIVATION_FAIL', detail: 'PROVIDER_SILENT' } }),
    );
    const sheet = await openGameDialog(page, GAMES.pg);
    await playWith100(sheet);
    await expect(sheet.getByText(translate('game:launchMoneyIn'))).toBeVisible();
    await expect(sheet).toContainText(translate('game:inWallet', { amount: '฿200.00' }));
    await expect.poll(() => context.pages().length).toBe(1);
    await page.unroute('**/api/autoLogin/**');
    const game = await playInNewTab(context, sheet);
    await expect(game.locator('dl > div').filter({ hasText: 'เครดิต' }).getByRole('definition')).toHaveText('100.00');
    expect((await readWallet(member)).wallet.amount).toBe(200);
  });
});

test('coming back from a game offers once per launch to move the money to the wallet [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await fundWallet(member, 100);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 60);
  const sheet = await openGameFromHome(page, 'pg');
  const offer = sheet.getByRole('region', { name: translate('game:returnTitle', { name: GAMES.pg }) });
  await expect(offer).toHaveCount(0);
  for (const launch of ['first', 'second']) {
    const game = await playInNewTab(context, sheet);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
    await game.close();
    await simulateTabReturn(page);
    await expect(offer, `${launch} launch`).toBeVisible();
    await buttonByName(offer, translate('game:keepInGame')).click();
    await expect(offer).toHaveCount(0);
    await simulateTabReturn(page);
    await expect(offer).toHaveCount(0);
  }
  await page.keyboard.press('Escape');
  await openGameDialog(page, GAMES.pg);
  await expect(sheet).toContainText('฿60.00');
  await expect(offer).toHaveCount(0);
});
