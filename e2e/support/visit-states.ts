import type { BrowserContext, Locator, Page } from '@playwright/test';
import { GAMES } from './game.ts';
import { openHome } from './home.ts';
import { api, type Member } from './member.ts';
import { fundWallet, memberAsPayer, openGameAccount, transferMoney } from './money.ts';
import { answerNotices, bell, noticesOfEachKind, noticeSheet } from './notices.ts';
import { mockPushBrowser } from './push.ts';
import { payQr } from './simulators.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';
import { buttonByName, dialogByName, gameCard } from './user-actions.ts';
import { checkInSheet, type PageCheck, waitForPageSettled } from './visit-pages.ts';
import { openWheel, type SpinReply, spinOnPage, type WheelSetup } from './wheel.ts';

/** States of screens that a tour of the pages doesn't reach. */
type StateVisit = {
  page: Page;
  translate: Translate;
  member: Member;
  checkPage: PageCheck;
};

type Wallet = { slots: { code: string }[] };

const closeDialog = async (page: Page): Promise<void> => {
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
};

/** Visits the question for the amount with its bonuses, the code with links to bank apps, and the arrival. */
export async function visitDepositStates({ page, translate, member, checkPage }: StateVisit): Promise<void> {
  await page.route('**/api/lookup/deposit', async (route) => {
    const response = await route.fetch();
    const app = { code: 'KBANK', name: 'K PLUS', url: 'kplus://open', currency: null };
    const apps = [app, { ...app, code: 'SCB', name: 'SCB Easy', url: 'https://bank.test/open' }];
    await route.fulfill({ response, json: { ...((await response.json()) as object), apps } });
  });
  await openHome(page);
  await buttonByName(page, translate('home:deposit')).click();
  const sheet = dialogByName(page, translate('deposit:title'));
  const amountField = sheet.getByLabel(translate('deposit:advice.howMuch'));
  await amountField.fill('50');
  await sheet.getByRole('button', { name: `${translate('deposit:bonus.label')}: ` }).click();
  await expect(sheet.getByRole('radio').first()).toBeVisible();
  await checkPage(page, 'question, bonuses that need more');
  await amountField.fill('100');
  await sheet.locator('[value=WELCOME]').check();
  await checkPage(page, 'question, with a bonus');
  const created = page.waitForResponse(
    (response) => /\/api\/qrcode\/\w+$/.test(response.url()) && response.request().method() === 'POST',
  );
  await sheet.getByRole('button', { name: translate('deposit:advice.payAmountByQr', { amount: '฿100.00' }) }).click();
  const { payload } = (await (await created).json()) as { payload: string };
  await expect(sheet.getByRole('timer')).toBeVisible();
  await expect(sheet.getByRole('navigation', { name: translate('deposit:bankApps') })).toBeVisible();
  await checkPage(page, 'code with bank apps');
  await payQr(payload, memberAsPayer(member));
  await expect(sheet.getByText(translate('deposit:arrived'))).toBeVisible();
  await checkPage(page, 'arrival');
  await buttonByName(sheet, translate('deposit:finish')).click();
  await expect(sheet).toHaveCount(0);
}

/** Visits the review of a withdrawal, and the timeline, filters and export of the statement. */
export async function visitStatementStates({ page, translate, member, checkPage }: StateVisit): Promise<void> {
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 150);
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  const withdrawal = dialogByName(page, translate('withdraw:title'));
  await withdrawal.getByLabel(translate('withdraw:amount')).fill('400');
  await buttonByName(withdrawal, translate('withdraw:submit')).click();
  await expect(withdrawal.getByRole('region', { name: translate('withdraw:review.title') })).toBeVisible();
  await checkPage(page, 'review of a withdrawal');
  const body = { amount: 120 };
  expect((await api('POST', '/api/wallet/withdraw', { token: member.token, body })).status).toBe(200);
  await page.goto('/user/statement');
  const rows = page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem');
  await rows.first().getByRole('button').click();
  const timeline = dialogByName(page, translate('money:kind.withdraw'));
  await expect(timeline.getByRole('list', { name: translate('money:steps') })).toBeVisible();
  await checkPage(page, 'timeline');
  await closeDialog(page);
  await buttonByName(page, translate('statement:export.open')).click();
  const exported = dialogByName(page, translate('money:export.title'));
  await checkPage(page, 'export');
  await buttonByName(exported, translate('money:export.makeFormat', { format: 'CSV' })).click();
  await expect(
    exported.getByRole('link', { name: translate('money:export.download', { format: 'CSV' }) }),
  ).toBeVisible();
  await checkPage(page, 'export that is ready');
  await closeDialog(page);
  await buttonByName(page, translate('statement:filter.open')).click();
  const filters = dialogByName(page, translate('statement:filter.open'));
  await filters.getByLabel(translate('money:filter.type.transfer')).check();
  await buttonByName(filters, translate('money:filter.week')).click();
  await checkPage(page, 'filters');
  await buttonByName(filters, translate('money:filter.apply')).click();
  await expect(rows).toHaveCount(1);
  await checkPage(page, 'filtered statement');
}

/** Closes one of the row's games until a known time, another without one, and makes them favourites. */
const closeGames = (page: Page): Promise<unknown> =>
  page.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as Wallet;
    const closedUntil: Readonly<Record<string, string | null>> = { royal: '2090-01-02T00:00:00.000Z', naga: null };
    const slots = wallet.slots.map((slot) =>
      slot.code in closedUntil
        ? { ...slot, inMaintenance: true, isFavourite: true, closedUntil: closedUntil[slot.code] }
        : slot,
    );
    await route.fulfill({ response, json: { ...wallet, slots } });
  });

/** Visits the row and the search of games, and a game that is closed. */
export async function visitLobbyStates({ page, translate, checkPage }: StateVisit): Promise<void> {
  await closeGames(page);
  await openHome(page);
  const row = page.getByRole('region', { name: translate('lobby:row') });
  await expect(row.getByRole('listitem').filter({ hasText: GAMES.royal })).toBeVisible();
  await checkPage(page, 'row of games');
  await checkInSheet(page, buttonByName(page, translate('lobby:search')), translate('lobby:search'), async (search) => {
    await expect(search.getByRole('listitem').first()).toBeVisible();
    await checkPage(page, 'search');
    await buttonByName(search, translate('lobby:favourite')).click();
    await expect(search.getByRole('listitem')).toHaveCount(2);
    await checkPage(page, 'favourites');
    await search.getByLabel(translate('lobby:searchLabel')).fill('%');
    await expect(search.getByText(translate('lobby:none'))).toBeVisible();
    await checkPage(page, 'no game');
    // In a search field with text, Escape clears it.
    await search.getByLabel(translate('lobby:searchLabel')).fill('');
  });
  await gameCard(page, GAMES.royal).press('Enter');
  await expect(dialogByName(page, GAMES.royal)).toBeVisible();
  await checkPage(page, 'closed game');
  await closeDialog(page);
}

/** Toasts cover targets of the sheet for a moment. */
const expectNoToasts = (page: Page): Promise<void> => expect(page.locator('[data-toast]')).toHaveCount(0);

/** Visits play in one sheet with its outcomes, and play by one press. */
export async function visitPlayStates(
  { page, translate, member, checkPage }: StateVisit,
  context: BrowserContext,
): Promise<void> {
  await fundWallet(member, 500);
  await openHome(page);
  const row = page.getByRole('region', { name: translate('lobby:row') });
  await buttonByName(row, GAMES.pg).click();
  const sheet = dialogByName(page, GAMES.pg);
  await sheet.getByLabel(translate('game:amount')).fill('100');
  await buttonByName(sheet, translate('game:favourite', { name: GAMES.pg })).click();
  await checkPage(page, 'amount to play with');
  const failedLaunch = (status: number) => ({
    status,
    json: { message: 'GAME_ACTIVATION_FAIL', detail: 'PROVIDER_SILENT' },
  });
  await page.route('**/api/wallet/activate/*', (route) => route.fulfill(failedLaunch(503)), { times: 1 });
  await buttonByName(sheet, translate('game:transferAndPlay')).click();
  await expect(sheet.getByText(translate('game:launchFailed'))).toBeVisible();
  await checkPage(page, 'play that failed');
  const [game] = await Promise.all([
    context.waitForEvent('page'),
    buttonByName(sheet, translate('game:transferAndPlay')).click(),
  ]);
  await game.waitForURL(/\/games\//);
  await game.close();
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await expect(buttonByName(sheet, translate('game:bringHome'))).toBeVisible();
  await expectNoToasts(page);
  await checkPage(page, 'after play');
  await buttonByName(sheet, translate('game:bringHome')).click();
  const home = { name: GAMES.pg, amount: '฿100.00' };
  await expect(page.getByText(translate('game:broughtHome', home))).toBeVisible();
  await expectNoToasts(page);
  await checkPage(page, 'money brought home');
  await closeDialog(page);
  await openHome(page);
  await expect(buttonByName(row, `${translate('lobby:play', home)} ${GAMES.pg}`)).toBeVisible();
  await checkPage(page, 'play by one press');
  await transferMoney(member, 'WALLET', 'pg', 100);
  await openHome(page);
  await buttonByName(page, translate('home:transfer')).click();
  const takeHome = translate('transfer:takeHome', home);
  await expect(buttonByName(dialogByName(page, translate('transfer:title')), takeHome)).toBeVisible();
  await checkPage(page, 'transfer with money in a game');
  await closeDialog(page);
}

/** Shows a prize of money, whose coupon can be claimed in its dialog. */
async function winMoney(page: Page, translate: Translate): Promise<Locator> {
  const setup = page.waitForResponse('**/api/spinwheel/setup');
  await openWheel(page);
  const { sliceList } = ((await (await setup).json()) as WheelSetup).result.activeSpinwheel;
  const slice = sliceList.find(({ prizeKind }) => prizeKind === 'MONEY');
  if (!slice) throw new Error('no slice gives money');
  const { code, label } = slice;
  await page.route('**/api/spinwheel/spin', async (route) => {
    const response = await route.fetch();
    const { result, ...rest } = (await response.json()) as SpinReply;
    const prize = { name: label, kind: 'MONEY', slice: { code, label } };
    const condition = { base: 100, target: 150, floor: 10, turnoverTarget: null };
    const coupon = { _id: result.spinId, prize, amount: 100, state: 'OPEN', condition, expiresAt: null };
    const coupons = [{ ...coupon, createdAt: new Date().toISOString() }];
    await page.route('**/api/spinwheel/coupon', (inner) => inner.fulfill({ json: { coupons } }));
    await route.fulfill({ json: { ...rest, result: { ...result, code, label, hasPrize: true } } });
  });
  await spinOnPage(page, translate);
  return dialogByName(page, translate('spinwheel:prizeTitle'));
}

/** Visits the profile's settings, its list of banks, and a prize with its condition. */
export async function visitAccountStates({ page, translate, member, checkPage }: StateVisit): Promise<void> {
  await openHome(page);
  await page.goto('/user/profile');
  await expect(page.getByRole('checkbox', { name: translate('profile:bringHome') })).toBeEnabled();
  await checkPage(page, 'settings');
  await buttonByName(page, translate('profile:edit')).click();
  const field = dialogByName(page, translate('profile:edit')).getByLabel(translate('profile:bankName'));
  await field.locator('xpath=..').locator('button').click();
  await expect(dialogByName(page, translate('profile:bankName')).getByRole('listitem').first()).toBeVisible();
  await checkPage(page, 'list of banks');
  await fundWallet(member, 300);
  const prize = await winMoney(page, translate);
  await expect(buttonByName(prize, translate('spinwheel:claimConfirm'))).toBeEnabled();
  await checkPage(page, 'prize with a condition');
  const result = { label: '฿100', kind: 'MONEY', amount: 100, coin: 0 };
  await page.route('**/api/spinwheel/coupon/claim', (route) =>
    route.fulfill({ json: { success: true, error: null, result } }),
  );
  await buttonByName(prize, translate('spinwheel:claimConfirm')).click();
  await expect(dialogByName(page, translate('spinwheel:claimedTitle'))).toBeVisible();
  await checkPage(page, 'claimed prize');
}

/** Visits the list of notices, and the profile's settings of messages on a device that gets them. */
export async function visitNoticeStates({ page, translate, checkPage }: StateVisit): Promise<void> {
  await mockPushBrowser(page);
  await page.route('**/api/push/key', (route) => route.fulfill({ json: { publicKey: `B${'A'.repeat(86)}` } }));
  const id = '7b0c7a52-5b39-4f0e-8f7e-2f3f6c1d9a10';
  await page.route('**/api/push/subscription', (route) =>
    route.fulfill({ json: route.request().method() === 'PUT' ? { id } : { subscription: null } }),
  );
  await answerNotices(page, noticesOfEachKind());
  await openHome(page);
  await bell(page, translate).click();
  await expect(noticeSheet(page, translate).getByRole('listitem')).toHaveCount(7);
  await checkPage(page, 'notices');
  await closeDialog(page);
  await page.goto('/user/profile');
  await page.getByRole('switch', { name: translate('push:settings.device') }).click();
  await expect(page.getByRole('switch', { name: translate('push:settings.amounts') })).toBeVisible();
  await checkPage(page, 'settings of messages');
}

/** Visits the registration with its inviter, as an invited person opens it. */
export async function visitInviter({ page, translate, member, checkPage }: StateVisit): Promise<void> {
  await page.goto(`/register?code=PR${member.id}`);
  await expect(page.getByText(translate('register:invitedBy', { name: 'สมหญิง ท.' }))).toBeVisible();
  await checkPage(page, 'inviter');
}

/** Visits what a browser inside another app shows: the card to install the app, and a receipt to hold. */
export async function visitInAppStates({ page, translate, member, checkPage }: StateVisit): Promise<void> {
  await fundWallet(member, 500);
  await page.evaluate(() => localStorage.setItem('install-offer', JSON.stringify({ days: 3 })));
  await openHome(page);
  await expect(page.getByRole('region', { name: translate('install:card.title') })).toBeVisible();
  await checkPage(page, 'card to install the app');
  await page.goto('/user/statement');
  const rows = page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem');
  await rows.first().getByRole('button').click();
  const sheet = page.getByRole('dialog');
  await buttonByName(sheet, translate('money:save')).click();
  await expect(sheet.getByRole('img', { name: translate('money:receipt') })).toBeVisible();
  await waitForPageSettled(page);
  await checkPage(page, 'receipt');
}
