import type { BrowserContext, Locator, Page } from '@playwright/test';
import { openGameFromHome, playInNewTab, simulateTabReturn } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, readWallet, transferMoney } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

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

test('the choice is off, is kept on the server, and then a return from a game brings the exact balance home once, without a press [R-WALLET-03]', async ({
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

test('without the choice a return moves nothing and offers it [R-WALLET-03]', async ({
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
});

for (const [reason, changes, text] of [
  ['open bets', { outstanding: 5 }, translate('game:home.bets', PG)],
  ['a pending transfer', { inProgress: 'T1' }, translate('game:home.pending', PG)],
  ['a game that doesn’t answer', { isStale: true, canMoveOut: false }, translate('game:home.unknown', PG)],
] as const)
  test(`money stays in the game with ${reason}, and the member is informed [R-WALLET-03]`, async ({
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

test('a refusal, a pending transfer and a lost reply say what is true of the money; a lost one is sent again under its key [R-WALLET-03]', async ({
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
  await waitForNextReturn(page);
  reply = 'pass';
  await simulateTabReturn(page);
  await expect(toasts.filter({ hasText: translate('game:broughtHome', PG) })).toBeVisible();
  expect(keys[3]).toBe(keys[2]);
  expect((await readWallet(member)).wallet.amount).toBe(100);
});

test('the words of the choice fit in three languages [R-WALLET-03]', async ({ memberPage: page }) => {
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
