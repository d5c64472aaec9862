import type { Page } from '@playwright/test';
import { api, type Member } from '../../support/member.ts';
import { fund, openGame, payerOf, transfer, walletOf } from '../../support/money.ts';
import { callbacks, clearFaults, newestQr, payQr, player, setFault } from '../../support/outside.ts';
import { openWay } from '../../support/deposit.ts';
import { joinedLine, openHome } from '../../support/home.ts';
import { pictures } from '../../support/pictures.ts';
import { shown } from '../../support/satang.ts';
import { expect, test } from '../../support/test.ts';
import * as walk from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const GAME = 'PG SLOT';
/** A provider is waited for 4 s, and asked again for a little longer than twice that before it is believed. */
const PATIENCE = { timeout: 60_000 };

const say = speaking('th');
const place = (page: Page, name: string) =>
  page
    .getByRole('region', { name: say('home:total') })
    .locator('dl > div')
    .filter({ hasText: name });

const amountOf = (page: Page, name: string) => place(page, name).getByRole('definition');

async function send(page: Page, from: string, to: string, amount: string): Promise<void> {
  await walk.button(page, say('home:transfer')).click();
  const sheet = walk.dialog(page, say('transfer:title'));
  await sheet.getByLabel(say('transfer:from'), { exact: true }).selectOption(from);
  await sheet.getByLabel(say('transfer:to'), { exact: true }).selectOption(to);
  await sheet.getByLabel(say('transfer:amount')).fill(amount);
  await walk.button(sheet, say('transfer:submit')).click();
}

const newestRow = (page: Page) => page.getByRole('listitem').first();
const status = (page: Page) => newestRow(page).locator('[data-status]');

/**
 * Inquiries about a transfer fail too until the faults are cleared, so that the pending state lasts as long as needed.
 * Inquiries run immediately and after 2, 6, 14 and 30 s. A transfer counts as absent only after two such replies.
 */
const leaveUntold = (): Promise<unknown> =>
  setFault({ target: 'game:pg', fault: 'error-500', call: 'GetSingleTransaction', times: 20 });

/** A second tab of the same member, which is never touched again, once it is notified of all that happens. */
async function lookOn(page: Page, path: string): Promise<Page> {
  const other = await page.context().newPage();
  const joined = joinedLine(other);
  await other.goto('/no-such-page');
  await other.goto(path);
  await joined;
  await expect(other.locator('[aria-busy=true]')).toHaveCount(0);
  return other;
}

const cases = [
  {
    title: 'one that the game took without a word ends as done, in the dialog that asked for it',
    fault: 'timeout-applied',
    from: 'WALLET',
    to: 'pg',
    badge: 'SUCCESS',
    row: '−120.55',
    wallet: 300_00n - 120_55n,
    game: 200_00n + 120_55n,
  },
  {
    title: 'one that the game never got ends with the money back, to the satang',
    fault: 'timeout-lost',
    from: 'WALLET',
    to: 'pg',
    badge: 'FAILED',
    row: '0.00',
    wallet: 300_00n,
    game: 200_00n,
  },
  {
    title: 'one that the game paid out without a word comes home',
    fault: 'timeout-applied',
    from: 'pg',
    to: 'WALLET',
    badge: 'SUCCESS',
    row: '+120.55',
    wallet: 300_00n + 120_55n,
    game: 200_00n - 120_55n,
  },
] as const;

test.beforeEach(clearFaults);
test.afterEach(clearFaults);

test.describe('a transfer without an answer', () => {
  test.beforeEach(async ({ memberPage, member }) => {
    test.setTimeout(150_000);
    await fund(member, 500);
    await openGame(member, 'pg');
    await transfer(member, 'WALLET', 'pg', 200);
    await openHome(memberPage);
  });

  for (const one of cases) {
    test(`is shown as in progress; ${one.title}`, async ({ memberPage, member }) => {
      const onScreen = pictures(memberPage);
      const home = await lookOn(memberPage, '/user/home');
      const statement = await lookOn(memberPage, '/user/statement');
      await expect(newestRow(statement)).toContainText('−200.00');
      await memberPage.bringToFront();
      await setFault({ target: 'game:pg', fault: one.fault, times: 1 });
      await leaveUntold();
      await send(memberPage, one.from, one.to, '120.55');

      const underWay = walk.dialog(memberPage, say('transfer:processingTitle'));
      const words = one.from === 'WALLET' ? 'transfer:processing' : 'transfer:processingOut';
      await expect(underWay).toContainText(say(words, { amount: '฿120.55' }), PATIENCE);
      await onScreen('dialog');
      await expect(amountOf(home, say('home:inTransit'))).toHaveText('120.55');
      await expect(walk.card(home, GAME)).toContainText(say('home:inProgress'));
      await expect(amountOf(home, say('home:inWallet'))).toHaveText(shown(one.from === 'WALLET' ? 179_45n : 300_00n));
      await pictures(home)('home');
      // A transfer from a game is in the wallet's statement once it has arrived.
      await expect(status(statement)).toHaveAttribute('data-status', one.from === 'WALLET' ? 'PROCESSING' : 'SUCCESS');
      await expect(newestRow(statement)).toContainText(one.from === 'WALLET' ? '−120.55' : '−200.00');
      await pictures(statement)('statement');

      const isDone = one.badge === 'SUCCESS';
      // Said for four seconds only: looked for from before it comes.
      const announced = expect(
        home.getByText(say(isDone ? 'parts:moneyNews.transferDone' : 'parts:moneyNews.transferFailed')),
      ).toBeAttached(PATIENCE);
      await clearFaults();
      const outcome = walk.dialog(memberPage, say(isDone ? 'transfer:successTitle' : 'transfer:failureTitle'));
      await expect(outcome).toContainText(`฿${shown(one.wallet)}`, PATIENCE);
      await expect(outcome).toContainText(`฿${shown(one.game)}`);
      await onScreen('outcome');
      await expect(place(home, say('home:inTransit'))).toHaveCount(0);
      await expect(amountOf(home, say('home:inWallet'))).toHaveText(shown(one.wallet));
      await expect(amountOf(home, say('home:inGames'))).toHaveText(shown(one.game));
      await announced;
      await expect(status(statement)).toHaveAttribute('data-status', one.badge);
      await expect(newestRow(statement)).toContainText(one.row);
      await pictures(statement)('statement-after');
      await expectMoney(member, one.wallet, one.game);
    });
  }

  test('can be left alone: closed, its game takes no second one, and home tells how it ended', async ({
    memberPage,
    member,
  }) => {
    await setFault({ target: 'game:pg', fault: 'timeout-lost', times: 1 });
    await leaveUntold();
    await send(memberPage, 'WALLET', 'pg', '50');
    const underWay = walk.dialog(memberPage, say('transfer:processingTitle'));
    await expect(underWay).toBeVisible(PATIENCE);
    // Said for four seconds only: looked for from before it comes.
    const announced = expect(memberPage.getByText(say('parts:moneyNews.transferFailed'))).toBeAttached(PATIENCE);
    await underWay
      .getByRole('button', { name: say('common:close') })
      .last()
      .click();
    await expect(walk.card(memberPage, GAME)).toContainText(say('home:inProgress'));
    await send(memberPage, 'pg', 'WALLET', '10');
    await expect(walk.dialog(memberPage, say('transfer:title')).getByRole('alert')).toHaveText(
      say('transfer:busy', { name: GAME }),
    );
    await memberPage.keyboard.press('Escape');
    await walk.card(memberPage, GAME).click();
    await expect(walk.dialog(memberPage, GAME).getByText(say('game:inProgress'))).toBeVisible();
    await pictures(memberPage)('game');
    await memberPage.keyboard.press('Escape');
    // Home does not repeat what a dialog shows.
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await clearFaults();
    await announced;
    await expect(amountOf(memberPage, say('home:inWallet'))).toHaveText('300.00');
    await expectMoney(member, 300_00n, 200_00n);
  });
});

test.describe('a bank whose callbacks go wrong', () => {
  test.beforeEach(async ({ memberPage }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
  });

  test('the money of a late one shows by itself, and once', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-late', delayMs: 20_000, times: 1 });
    const sheet = await walk.createQr(memberPage, say, 100, async () => undefined);
    const qr = await newestQr();
    await pay(member);
    await walk.seeArrival(sheet, say, 100, async () => undefined);
    await expect.poll(() => callbacks(qr), PATIENCE).toEqual([expect.objectContaining({ status: 200 })]);
    await expectOneDeposit(memberPage, member, '+100.00');
  });

  test('a forged one shows no money; the payment itself still does', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-forged', amount: 9_999, times: 1 });
    const sheet = await walk.createQr(memberPage, say, 100, async () => undefined);
    const qr = await newestQr();
    await expect.poll(() => callbacks(qr), PATIENCE).not.toEqual([]);
    // The server handles a callback before it replies, and notifies the page immediately. The next inquiry follows after
    // 10 s: by then the page would have been notified.
    await expect(sheet.getByRole('timer')).toHaveText(/^09:[0-4]|^0[0-8]/, { timeout: 30_000 });
    await expect(walk.qrPicture(sheet, say, 100)).toBeVisible();
    expect((await walletOf(member)).wallet.amount).toBe(0);
    await pay(member);
    await walk.seeArrival(sheet, say, 100, pictures(memberPage));
    await expectOneDeposit(memberPage, member, '+100.00');
  });

  test('a forged one beside the true one brings no more than was paid', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-forged', call: 'payment', times: 1 });
    const sheet = await walk.createQr(memberPage, say, 100, async () => undefined);
    const qr = await newestQr();
    await pay(member);
    await walk.seeArrival(sheet, say, 100, async () => undefined);
    await expect.poll(async () => (await callbacks(qr)).length, PATIENCE).toBe(2);
    await expectOneDeposit(memberPage, member, '+100.00');
  });
});

test('a gateway that refuses to make a QR is reported in a danger toast; the next QR is made [R-QR-06]', async ({
  memberPage,
}) => {
  await openHome(memberPage);
  await setFault({ target: 'kbank', fault: 'decline', times: 1 });
  const sheet = await openWay(memberPage, 'qr', 'ธนาคารกสิกรไทย');
  const answered = memberPage.waitForResponse(
    (reply) => reply.request().method() === 'POST' && /qrcode/.test(reply.url()),
  );
  await sheet.getByLabel(say('deposit:amount')).fill('100');
  await walk.button(sheet, say('deposit:create')).click();
  expect((await answered).status()).toBe(200);
  await expect(memberPage.locator('[data-toast=danger]')).toHaveText(say('errors:errorMsg.QR_FAIL'));
  await walk.button(sheet, say('deposit:create')).click();
  await expect(walk.qrPicture(sheet, say, 100)).toBeVisible();
});

async function pay(member: Member): Promise<void> {
  const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
  await payQr(body.payload, payerOf(member));
}

async function expectOneDeposit(page: Page, member: Member, amount: string): Promise<void> {
  expect((await walletOf(member)).wallet.amount).toBe(100);
  await page.getByRole('link', { name: say('common:menu.statement') }).click();
  await expect(page.getByRole('list', { name: say('statement:title') }).getByRole('listitem')).toHaveCount(1);
  await expect(newestRow(page)).toContainText(amount);
}

/** Both sides hold what they should, in satang: the app's ledger and the game's own. */
async function expectMoney(member: Member, wallet: bigint, game: bigint): Promise<void> {
  const picture = await walletOf(member);
  const pg = picture.slots.find(({ code }) => code === 'pg');
  expect([picture.wallet.amount.toFixed(2), pg?.amount.toFixed(2)]).toEqual([plain(wallet), plain(game)]);
  const { body } = await api<{ username: string }>('GET', '/api/wallet/account/pg', { token: member.token });
  expect((await player('pg', body.username)).balance).toBe(plain(game));
}

const plain = (satang: bigint): string => shown(satang).replaceAll(',', '');
