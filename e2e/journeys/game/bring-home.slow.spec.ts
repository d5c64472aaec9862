import type { BrowserContext, Locator, Page } from '@playwright/test';
import { openGameFromHome, playInNewTab, simulateTabReturn } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member, newMember } from '../../support/member.ts';
import { fundWallet, openGameAccount, readWallet, transferMoney } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, pressCheckbox } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const PG = { name: 'PG SLOT', amount: '฿60.00' };
const TRANSFER = '/api/wallet/transfer';

test.use({ viewport: { width: 390, height: 844 } });

/** The checkbox of the profile. */
const choice = (page: Page): Locator => page.getByRole('checkbox', { name: translate('profile:bringHome') });

const chooseByCall = ({ token }: Member, bringsMoneyHome: boolean) =>
  api('PUT', '/api/account/settings', { token, body: { bringsMoneyHome } });

async function memberInGame(member: Member): Promise<void> {
  await fundWallet(member, 100);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 60);
}

function countTransfers(page: Page): string[] {
  const transfers: string[] = [];
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === TRANSFER) transfers.push(request.postData() ?? '');
  });
  return transfers;
}

/** Until the returned function is called, the browser reports no connection, and the probe gets no reply. */
async function loseConnection(page: Page): Promise<() => Promise<void>> {
  const setOnline = (isOnline: boolean) =>
    page.evaluate(
      (onLine) => Object.defineProperty(navigator, 'onLine', { configurable: true, value: onLine }),
      isOnline,
    );
  await page.route('**/icon.svg', (route) => route.abort());
  await setOnline(false);
  return async () => {
    await setOnline(true);
    await page.unroute('**/icon.svg');
  };
}

/** Returns within a second count as one. */
async function waitForNextReturn(page: Page): Promise<void> {
  const since = await page.evaluate(() => performance.now());
  await page.waitForFunction((startMs) => performance.now() - startMs > 1_000, since);
}

async function playAndReturn(page: Page, context: BrowserContext): Promise<void> {
  const dialog = page.getByRole('dialog').last();
  const game = await playInNewTab(context, dialog);
  await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
  await game.close();
  await simulateTabReturn(page);
}

test('automatic return is off by default, is stored on the server, and then moves the exact game balance to the wallet, once [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  await openHome(page);
  await page.goto('/user/profile');
  await expect(choice(page)).toBeEnabled();
  await expect(choice(page)).not.toBeChecked();
  await choice(page).click();
  await expect(choice(page)).toBeChecked();
  await expect(choice(page)).toBeEnabled();
  await page.reload();
  await expect(choice(page)).toBeChecked();

  await openGameFromHome(page, 'pg');
  const transfers = countTransfers(page);
  await playAndReturn(page, context);
  await expect(page.locator('[data-toast=success]')).toContainText(translate('game:broughtHome', PG));
  expect(transfers.map((body) => JSON.parse(body))).toEqual([{ from: 'pg', to: 'WALLET', amount: 60 }]);
  expect((await readWallet(member)).wallet.amount).toBe(100);
  await expect(buttonByName(page, translate('game:bringHome'))).toHaveCount(0);
  // A second return is none from a game.
  await transferMoney(member, 'WALLET', 'pg', 20);
  await waitForNextReturn(page);
  const refreshed = page.waitForResponse('**/api/wallet/refresh/slot');
  await simulateTabReturn(page);
  await refreshed;
  await expect(buttonByName(page, translate('game:bringHome'))).toBeVisible();
  expect(transfers).toHaveLength(1);
  expect((await readWallet(member)).wallet.amount).toBe(80);
});

test('the setting of automatic return changes on click; if saving fails it reverts with a reason; a lost reply keeps it [R-WALLET-03]', async ({
  memberPage: page,
}) => {
  const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
  await page.route('**/api/account/settings', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await mayAnswer;
    return route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } });
  });
  await openHome(page);
  await page.goto('/user/profile');
  await expect(choice(page)).toBeEnabled();
  expect(await choice(page).evaluate(pressCheckbox)).toBe(true);
  await expect(choice(page)).toBeDisabled();
  await expect(choice(page)).toBeChecked();
  answer();
  await expect(page.locator('[data-toast=danger]')).toBeVisible();
  await expect(choice(page)).not.toBeChecked();
  await expect(choice(page)).toBeEnabled();
  await page.unroute('**/api/account/settings');
  await page.route('**/api/account/settings', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    await route.fetch();
    return route.abort();
  });
  await choice(page).evaluate(pressCheckbox);
  await expect(choice(page)).toBeEnabled();
  await expect(choice(page)).toBeChecked();
});

test('without automatic return, coming back from a game moves no money and offers to move it [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  await openGameFromHome(page, 'pg');
  const transfers = countTransfers(page);
  await playAndReturn(page, context);
  await expect(buttonByName(page, translate('game:bringHome'))).toBeVisible();
  expect(transfers).toEqual([]);
  // The last amount would push it back by the next press.
  await buttonByName(page, translate('game:bringHome')).click();
  await expect(page.locator('[data-toast=success]')).toContainText(translate('game:broughtHome', PG));
  await expect(page.getByRole('dialog').last().getByLabel(translate('game:amount'))).toHaveValue('');
});

for (const [reason, changes, text] of [
  ['open bets', { outstanding: 5 }, translate('game:home.bets', PG)],
  ['a pending transfer', { inProgress: 'T1' }, translate('game:home.pending', PG)],
  ['a silent provider', { isStale: true, canMoveOut: false }, translate('game:home.unknown', PG)],
] as const)
  test(`automatic return leaves money in the game with ${reason}, and the member is informed [R-WALLET-03]`, async ({
    memberPage: page,
    member,
    context,
  }) => {
    await memberInGame(member);
    await chooseByCall(member, true);
    await openGameFromHome(page, 'pg');
    const transfers = countTransfers(page);
    await page.route('**/api/wallet', async (route) => {
      const reply = await route.fetch();
      const wallet = (await reply.json()) as { slots: { code: string }[] };
      const slots = wallet.slots.map((slot) => (slot.code === 'pg' ? { ...slot, ...changes } : slot));
      await route.fulfill({ response: reply, json: { ...wallet, slots } });
    });
    await playAndReturn(page, context);
    await expect(page.locator('[data-toast=info]')).toContainText(text);
    expect(transfers).toEqual([]);
    expect((await readWallet(member)).wallet.amount).toBe(40);
  });

test('a refused, pending or lost automatic return is reported as such; a lost one keeps its key, also offline [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  await chooseByCall(member, true);
  await openGameFromHome(page, 'pg');
  const keys: (string | undefined)[] = [];
  let reply: 'refuse' | 'pending' | 'lose' | 'pass' = 'refuse';
  await page.route(`**${TRANSFER}`, async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    if (reply === 'refuse') return route.fulfill({ status: 502, json: { message: 'TRANSFER_FAIL' } });
    if (reply === 'pending')
      return route.fulfill({ status: 202, json: { message: 'PROCESSING', status: 'PROCESSING', reference: 'T1' } });
    const response = await route.fetch();
    return reply === 'lose' ? route.abort('connectionreset') : route.fulfill({ response });
  });
  const toasts = page.locator('[data-toast]');
  await playAndReturn(page, context);
  await expect(toasts.filter({ hasText: translate('game:home.refused', PG) })).toBeVisible();
  await waitForNextReturn(page);
  reply = 'pending';
  await playAndReturn(page, context);
  await expect(toasts.filter({ hasText: translate('game:home.onItsWay', PG) })).toBeVisible();
  await waitForNextReturn(page);
  reply = 'lose';
  await playAndReturn(page, context);
  await expect(toasts.filter({ hasText: translate('game:home.undecided', PG) })).toBeVisible();
  expect(new Set(keys).size).toBe(3);
  expect((await readWallet(member)).wallet.amount).toBe(100);
  await expect(toasts).toHaveCount(0);
  const restoreConnection = await loseConnection(page);
  await simulateTabReturn(page);
  await expect(toasts).toContainText([translate('game:home.undecided', PG)]);
  await restoreConnection();
  expect(keys).toHaveLength(3);
  await waitForNextReturn(page);
  reply = 'pass';
  await simulateTabReturn(page);
  await expect(toasts.filter({ hasText: translate('game:broughtHome', PG) })).toBeVisible();
  expect(keys[3]).toBe(keys[2]);
  expect((await readWallet(member)).wallet.amount).toBe(100);
});

/** Opens the game in its tab. */
async function openGameTab(page: Page, context: BrowserContext): Promise<Page> {
  await openGameFromHome(page, 'pg');
  const game = await playInNewTab(context, page.getByRole('dialog').last());
  await acceptAgreement(game);
  await expect(game.getByRole('button', { name: 'หมุน' })).toBeVisible();
  return game;
}

/** Presses the game's own link to the wallet. */
const followGameLink = (game: Page): Promise<void> => game.getByRole('link', { name: 'กลับไปกระเป๋า' }).click();

const returnOffer = (page: Page): Locator =>
  page.getByRole('region', { name: translate('game:returnTitle', { name: PG.name }) });
const success = (page: Page): Locator => page.locator('[data-toast=success]');

/** Returns to the tab, and waits until its requests have ended. */
async function returnAndSettle(page: Page): Promise<void> {
  const refreshed = page.waitForResponse('**/api/wallet/refresh/slot');
  await simulateTabReturn(page);
  await refreshed;
  await page.waitForLoadState('networkidle');
}

for (const isRemembered of [true, false])
  test(`the game's link back moves the money once, in the game's tab, ${isRemembered ? 'with' : 'without'} a remembered login [R-WALLET-03]`, async ({
    memberPage: page,
    member,
    context,
  }) => {
    await memberInGame(member);
    await chooseByCall(member, true);
    if (!isRemembered)
      await page.evaluate(() => {
        sessionStorage.setItem('token', localStorage.getItem('token') ?? '');
        localStorage.removeItem('token');
      });
    const game = await openGameTab(page, context);
    const transfers = [countTransfers(game), countTransfers(page)];
    await followGameLink(game);
    await expect(success(game)).toContainText(translate('game:broughtHome', PG));
    expect((await readWallet(member)).wallet.amount).toBe(100);
    // The tab that opened the game only shows the new balances.
    await transferMoney(member, 'WALLET', 'pg', 20);
    await returnAndSettle(page);
    await game.reload({ waitUntil: 'networkidle' });
    await expect(returnOffer(page)).toHaveCount(0);
    await expect(success(page)).toHaveCount(0);
    expect(transfers.map(({ length }) => length)).toEqual([1, 0]);
    expect((await readWallet(member)).wallet.amount).toBe(80);
  });

test("without automatic return the game's link back leads to the offer, once for all tabs [R-WALLET-03]", async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  const game = await openGameTab(page, context);
  const transfers = [countTransfers(game), countTransfers(page)];
  await followGameLink(game);
  await expect(returnOffer(game)).toBeVisible();
  await game.waitForLoadState('networkidle');
  await returnAndSettle(page);
  await expect(page.getByRole('dialog').last()).toContainText('฿60.00');
  await expect(returnOffer(page)).toHaveCount(0);
  await openHome(game);
  await expect(game.getByRole('dialog')).toHaveCount(0);
  expect(transfers).toEqual([[], []]);
});

test('two tabs that return from a game simultaneously move the money once [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  await chooseByCall(member, true);
  const game = await openGameTab(page, context);
  const transfers = [countTransfers(game), countTransfers(page)];
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let waiting = 0;
  // Both tabs have seen the money before one of them moves it.
  await context.route('**/api/wallet/refresh/slot', async (route) => {
    waiting += 1;
    await released;
    await route.continue();
  });
  await followGameLink(game);
  await simulateTabReturn(page);
  await expect.poll(() => waiting).toBeGreaterThanOrEqual(2);
  release();
  const toasts = async (): Promise<number> => (await success(game).count()) + (await success(page).count());
  await expect.poll(toasts).toBe(1);
  await Promise.all([game, page].map((tab) => tab.waitForLoadState('networkidle')));
  expect(await toasts()).toBe(1);
  for (const tab of [game, page]) await expect(tab.locator('[data-toast=danger]')).toHaveCount(0);
  expect(transfers.flat()).toHaveLength(1);
  expect((await readWallet(member)).wallet.amount).toBe(100);
});

test('a home page without a launch, or with a launch by another member, moves and offers nothing [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await memberInGame(member);
  await chooseByCall(member, true);
  const transfers = countTransfers(page);
  // A tab of another session may leave such a launch.
  await page.evaluate(() => sessionStorage.setItem('launches', 'pg forged'));
  await openHome(page);
  await page.waitForLoadState('networkidle');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  const game = await openGameTab(page, context);
  const next = await newMember();
  await memberInGame(next);
  await chooseByCall(next, true);
  await page.evaluate((token) => localStorage.setItem('token', token), next.token);
  const gameTransfers = countTransfers(game);
  await followGameLink(game);
  await expect(game.getByText('40.00', { exact: true }).first()).toBeVisible();
  await game.waitForLoadState('networkidle');
  await expect(game.getByRole('dialog')).toHaveCount(0);
  expect([transfers, gameTransfers]).toEqual([[], []]);
  for (const someone of [member, next]) expect((await readWallet(someone)).wallet.amount).toBe(40);
});

test('the texts of automatic return fit in three languages [R-WALLET-03]', async ({ memberPage: page }) => {
  for (const language of ['th', 'la', 'en'] as const) {
    const words = translatorFor(language);
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await page.setViewportSize({ width: 320, height: 568 });
    await page.goto('/user/profile');
    const box = page.getByRole('checkbox', { name: words('profile:bringHome') });
    await expect(box).toBeEnabled();
    await expect(page.getByText(words('profile:bringHomeHint'))).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  }
});
