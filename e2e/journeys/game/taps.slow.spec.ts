import type { BrowserContext, Locator, Page } from '@playwright/test';
import { findAccessibilityFaults } from '../../support/accessible.ts';
import { GAMES, simulateTabReturn } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { openMemberWindow } from '../../support/launch.ts';
import { fundWallet, openGameAccount, readWallet, transferMoney } from '../../support/money.ts';
import { playRound, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, expectAgreementVisible } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const PHONE = { width: 390, height: 844 };

test.use({ viewport: PHONE });

/** Counts the presses of a member. */
class Taps {
  count = 0;

  async press(target: Locator): Promise<void> {
    this.count += 1;
    await target.click();
  }

  /** Presses what opens a game in a new tab. */
  async open(target: Locator, context: BrowserContext): Promise<Page> {
    const [game] = await Promise.all([context.waitForEvent('page'), this.press(target)]);
    await expect(game.getByRole('button', { name: 'หมุน' })).toBeEnabled();
    return game;
  }

  /** Spins once. @returns the money in the game afterwards */
  async spin(game: Page): Promise<number> {
    const [reply] = await Promise.all([
      game.waitForResponse('**/play/spin'),
      this.press(game.getByRole('button', { name: 'หมุน' })),
    ]);
    return Number(((await reply.json()) as { balance: string }).balance);
  }
}

const baht = (amount: number): string =>
  `฿${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
const rowOf = (page: Page): Locator => page.getByRole('region', { name: translate('lobby:row') });
const pgSheet = (page: Page): Locator => dialogByName(page, GAMES.pg);

async function leaveGame(page: Page, game: Page): Promise<void> {
  await game.close();
  await simulateTabReturn(page);
}

test('a new member needs five taps to the first spin, agreement included, two to the next, and one to move the money back [R-WALLET-03]', async ({
  page,
  member,
  context,
}) => {
  test.setTimeout(90_000);
  await fundWallet(member, 550);
  await page.goto('/login');
  await page.getByLabel(translate('login:phone')).fill(member.phone);
  await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
  await buttonByName(page, translate('login:submit')).click();
  const agreement = dialogByName(page, translate('agreement:title'));
  await expectAgreementVisible(agreement);

  const first = new Taps();
  await first.press(buttonByName(agreement, translate('agreement:accept')));
  await first.press(buttonByName(rowOf(page), GAMES.pg));
  await first.press(buttonByName(pgSheet(page), translate('game:all')));
  const game = await first.open(buttonByName(pgSheet(page), translate('game:allAndPlay')), context);
  const left = await first.spin(game);
  expect(first.count).toBeLessThanOrEqual(5);

  await leaveGame(page, game);
  await expect(pgSheet(page)).toContainText(translate('game:returnText', { name: GAMES.pg, amount: baht(left) }));
  const home = new Taps();
  await home.press(buttonByName(pgSheet(page), translate('game:bringHome')));
  await expect(page.getByText(translate('game:broughtHome', { amount: baht(left) }))).toBeVisible();
  expect(home.count).toBeLessThanOrEqual(2);
  expect((await readWallet(member)).wallet.amount).toBe(left);

  // The sheet proposes no amount for a game whose money just came home; the home page does.
  await openHome(page);
  const next = new Taps();
  const pill = rowOf(page).getByRole('button', {
    name: new RegExp(`^${translate('lobby:play', { amount: '฿' })}.*${GAMES.pg}$`),
  });
  const again = await next.open(pill, context);
  await next.spin(again);
  expect(next.count).toBeLessThanOrEqual(2);
});

test('on another device the next spin needs two taps with the last amount, and moving all money back from home needs two [R-WALLET-03]', async ({
  browser,
  member,
}) => {
  test.setTimeout(90_000);
  await fundWallet(member, 300);
  const { username } = await openGameAccount(member, 'pg');
  const first = await openMemberWindow(browser, member, PHONE);
  const firstPage = await first.newPage();
  await firstPage.goto('/icon.svg');
  await openHome(firstPage);
  await buttonByName(rowOf(firstPage), GAMES.pg).click();
  await pgSheet(firstPage).getByRole('button', { name: '100', exact: true }).click();
  await new Taps().open(buttonByName(pgSheet(firstPage), translate('game:transferAndPlay')), first);
  await first.close();
  await transferMoney(member, 'pg', 'WALLET', 100);

  const context = await openMemberWindow(browser, member, PHONE);
  const page = await context.newPage();
  await page.goto('/icon.svg');
  await openHome(page);
  const next = new Taps();
  const pill = buttonByName(rowOf(page), `${translate('lobby:play', { amount: '฿100.00' })} ${GAMES.pg}`);
  const game = await next.open(pill, context);
  await next.spin(game);
  expect(next.count).toBeLessThanOrEqual(2);
  await game.close();

  // Played since the balance was read: what comes home is what is there.
  await openHome(page);
  const home = new Taps();
  await home.press(buttonByName(rowOf(page), GAMES.pg));
  const takeHome = pgSheet(page).getByRole('button', { name: /กลับกระเป๋า$/ });
  await expect(takeHome).toBeVisible();
  await playRound('pg', username, 10, 3.25);
  const left = Number((await readGamePlayer('pg', username)).balance);
  await home.press(takeHome);
  await expect(page.getByText(translate('game:broughtHome', { amount: baht(left) }))).toBeVisible();
  expect(home.count).toBeLessThanOrEqual(2);
  expect((await readWallet(member)).wallet.amount).toBe(200 + left);
  await context.close();
});

test("the transfer dialog moves a game's money back by two taps, and separates the whole-wallet button from the send button [R-WALLET-03]", async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 200);
  for (const code of ['pg', 'joker2'] as const) await openGameAccount(member, code);
  await transferMoney(member, 'WALLET', 'pg', 40.5);
  await openHome(page);
  const home = new Taps();
  await home.press(buttonByName(page, translate('home:transfer')));
  const sheet = dialogByName(page, translate('transfer:title'));
  await sheet.getByLabel(translate('transfer:to'), { exact: true }).selectOption('joker2');
  const all = buttonByName(sheet, translate('transfer:transferAllTo', { name: GAMES.joker2, amount: '฿159.50' }));
  const [allBox, submitBox] = await Promise.all([
    all.boundingBox(),
    buttonByName(sheet, translate('transfer:submit')).boundingBox(),
  ]);
  expect((allBox?.y ?? 0) - (submitBox?.y ?? 0) - (submitBox?.height ?? 0)).toBeGreaterThanOrEqual(16);
  await home.press(buttonByName(sheet, translate('transfer:takeHome', { name: GAMES.pg, amount: '฿40.50' })));
  const done = dialogByName(page, translate('transfer:successTitle'));
  await expect(done).toContainText('฿40.50');
  expect(home.count).toBeLessThanOrEqual(2);
  expect((await readWallet(member)).wallet.amount).toBe(200);
});

test('Play again without a known amount asks for one and opens the account if needed; a reload forgets the launch [R-WALLET-03]', async ({
  memberPage: page,
  member,
  context,
}) => {
  await fundWallet(member, 300);
  await openHome(page);
  await buttonByName(rowOf(page), GAMES.pg).click();
  const sheet = pgSheet(page);
  // One main action, which opens the account too.
  await expect(sheet.getByText(translate('game:playOpens'))).toBeVisible();
  await expect(buttonByName(sheet, translate('game:open'))).toHaveCount(0);
  await expect(sheet.getByText(translate('game:openAgain'))).toBeHidden();
  const question = sheet.getByRole('region', { name: translate('game:howMuch') });
  const [empty] = await Promise.all([
    context.waitForEvent('page'),
    buttonByName(sheet, translate('game:play')).click(),
  ]);
  await expect(empty.getByRole('button', { name: 'หมุน' })).toBeVisible();
  await expect(sheet.getByText(translate('game:opened'))).toBeVisible();
  await empty.close();
  expect((await readWallet(member)).wallet.amount).toBe(300);

  await page.reload();
  await buttonByName(rowOf(page), `${translate('lobby:playAgain')} ${GAMES.pg}`).click();
  await expect(question).toBeFocused();
  await expect(question.getByRole('button')).toHaveCount(4);
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await expect(sheet).not.toContainText(translate('game:opened'));
  expect(context.pages()).toHaveLength(1);
  const taps = new Taps();
  const game = await taps.open(buttonByName(question, translate('game:playWith', { amount: '฿100.00' })), context);
  await taps.spin(game);
  expect(taps.count).toBeLessThanOrEqual(2);
  expect((await readWallet(member)).wallet.amount).toBe(200);
});
