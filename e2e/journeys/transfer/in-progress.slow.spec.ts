import type { Page } from '@playwright/test';
import { openDepositMethod } from '../../support/deposit.ts';
import { waitForEventSocketJoin, openHome } from '../../support/home.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, memberAsPayer, transferMoney, readWallet } from '../../support/money.ts';
import { countToasts } from '../../support/notices.ts';
import { strip } from '../../support/pending.ts';
import { formatSatang } from '../../support/satang.ts';
import { saveScreenshots } from '../../support/screenshots.ts';
import { readCallbacks, clearFaults, readNewestQr, payQr, readGamePlayer, setFault } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import * as walk from '../../support/user-actions.ts';

const GAME_NAME = 'PG SLOT';
/** A provider call times out after 4 s; a proof of absence takes a little more than twice that time. */
const SETTLE_TIMEOUT = { timeout: 60_000 };

const translate = translatorFor('th');
const balanceOf = (page: Page, name: string) =>
  page
    .getByRole('region', { name: translate('home:total') })
    .locator('dl > div')
    .filter({ hasText: name });

const amountTextOf = (page: Page, name: string) => balanceOf(page, name).getByRole('definition');

async function sendTransfer(page: Page, from: string, to: string, amount: string): Promise<void> {
  await walk.buttonByName(page, translate('home:transfer')).click();
  const sheet = walk.dialogByName(page, translate('transfer:title'));
  await sheet.getByLabel(translate('transfer:from'), { exact: true }).selectOption(from);
  await sheet.getByLabel(translate('transfer:to'), { exact: true }).selectOption(to);
  await sheet.getByLabel(translate('transfer:amount')).fill(amount);
  await walk.buttonByName(sheet, translate('transfer:submit')).click();
}

const newestRow = (page: Page) => page.getByRole('listitem').first();
const newestStatus = (page: Page) => newestRow(page).locator('[data-status]');

/**
 * Inquiries about a transfer fail too until the faults are cleared, so that the pending state lasts as long as needed.
 * Inquiries run immediately and after 2, 6, 14 and 30 s. A transfer counts as absent only after two such replies.
 */
const disconnectSocket = (): Promise<unknown> =>
  setFault({ target: 'game:pg', fault: 'error-500', call: 'GetSingleTransaction', times: 20 });

/** A second tab of the same member without user input, after its event socket has joined. */
async function openOtherPage(page: Page, path: string): Promise<Page> {
  const otherPage = await page.context().newPage();
  const socketJoined = waitForEventSocketJoin(otherPage);
  await otherPage.goto('/no-such-page');
  await otherPage.goto(path);
  await socketJoined;
  await expect(otherPage.locator('[aria-busy=true]')).toHaveCount(0);
  return otherPage;
}

const cases = [
  {
    title: 'one that the game executed ends as done in its dialog',
    fault: 'timeout-applied',
    from: 'WALLET',
    to: 'pg',
    badge: 'SUCCESS',
    row: '−120.55',
    wallet: 300_00n - 120_55n,
    game: 200_00n + 120_55n,
  },
  {
    title: 'one that the game never received is refunded to the satang',
    fault: 'timeout-lost',
    from: 'WALLET',
    to: 'pg',
    badge: 'FAILED',
    row: `120.55${translate('statement:notMoved')}`,
    wallet: 300_00n,
    game: 200_00n,
  },
  {
    title: 'one that the game paid out reaches the wallet',
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

test.describe('a transfer without a reply', () => {
  test.beforeEach(async ({ memberPage, member }) => {
    test.setTimeout(150_000);
    await fundWallet(member, 500);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 200);
    await openHome(memberPage);
  });

  for (const scenario of cases) {
    test(`a transfer without a reply is shown as in progress; ${scenario.title}`, async ({ memberPage, member }) => {
      const onScreen = saveScreenshots(memberPage);
      const homePage = await openOtherPage(memberPage, '/user/home');
      const statement = await openOtherPage(memberPage, '/user/statement');
      await expect(newestRow(statement)).toContainText('−200.00');
      await memberPage.bringToFront();
      await setFault({ target: 'game:pg', fault: scenario.fault, times: 1 });
      await disconnectSocket();
      await sendTransfer(memberPage, scenario.from, scenario.to, '120.55');

      const pendingDialog = walk.dialogByName(memberPage, translate('transfer:processingTitle'));
      const phraseKey = scenario.from === 'WALLET' ? 'transfer:processing' : 'transfer:processingOut';
      await expect(pendingDialog).toContainText(translate(phraseKey, { amount: '฿120.55' }), SETTLE_TIMEOUT);
      await onScreen('dialog');
      await expect(amountTextOf(homePage, translate('home:inTransit'))).toHaveText('120.55');
      await expect(walk.gameCard(homePage, GAME_NAME)).toContainText(translate('home:inProgress'));
      await expect(amountTextOf(homePage, translate('home:inWallet'))).toHaveText(
        formatSatang(scenario.from === 'WALLET' ? 179_45n : 300_00n),
      );
      await saveScreenshots(homePage)('home');
      // A transfer from a game is in the wallet's statement after its arrival.
      await expect(newestStatus(statement)).toHaveAttribute(
        'data-status',
        scenario.from === 'WALLET' ? 'PROCESSING' : 'SUCCESS',
      );
      await expect(newestRow(statement)).toContainText(scenario.from === 'WALLET' ? '−120.55' : '−200.00');
      await saveScreenshots(statement)('statement');

      const isDone = scenario.badge === 'SUCCESS';
      const toastCount = await countToasts(homePage);
      // The strip shows a success for only six seconds, so the wait starts before it appears.
      const outcomeText = expect(
        strip(homePage, translate).locator(`[data-end=${isDone ? 'good' : 'bad'}]`),
      ).toContainText(
        isDone ? translate('money:ended.transfer', { amount: '฿120.55' }) : translate('money:failed.transfer'),
        SETTLE_TIMEOUT,
      );
      await clearFaults();
      const outcome = walk.dialogByName(
        memberPage,
        translate(isDone ? 'transfer:successTitle' : 'transfer:failureTitle'),
      );
      await expect(outcome).toContainText(`฿${formatSatang(scenario.wallet)}`, SETTLE_TIMEOUT);
      await expect(outcome).toContainText(`฿${formatSatang(scenario.game)}`);
      await onScreen('outcome');
      await expect(balanceOf(homePage, translate('home:inTransit'))).toHaveCount(0);
      await expect(amountTextOf(homePage, translate('home:inWallet'))).toHaveText(formatSatang(scenario.wallet));
      await expect(amountTextOf(homePage, translate('home:inGames'))).toHaveText(formatSatang(scenario.game));
      await outcomeText;
      expect(await toastCount()).toBe(0);
      await expect(newestStatus(statement)).toHaveAttribute('data-status', scenario.badge);
      await expect(newestRow(statement)).toContainText(scenario.row);
      await saveScreenshots(statement)('statement-after');
      await expectMoney(member, scenario.wallet, scenario.game);
    });
  }

  test('a transfer without a reply can be closed, its game accepts no second one, and home shows its outcome', async ({
    memberPage,
    member,
  }) => {
    await setFault({ target: 'game:pg', fault: 'timeout-lost', times: 1 });
    await disconnectSocket();
    await sendTransfer(memberPage, 'WALLET', 'pg', '50');
    const underWay = walk.dialogByName(memberPage, translate('transfer:processingTitle'));
    await expect(underWay).toBeVisible(SETTLE_TIMEOUT);
    await underWay
      .getByRole('button', { name: translate('common:close') })
      .last()
      .click();
    await expect(walk.gameCard(memberPage, GAME_NAME)).toContainText(translate('home:inProgress'));
    await sendTransfer(memberPage, 'pg', 'WALLET', '10');
    await expect(walk.dialogByName(memberPage, translate('transfer:title')).getByRole('alert')).toHaveText(
      translate('transfer:busy', { name: GAME_NAME }),
    );
    await memberPage.keyboard.press('Escape');
    await walk.gameCard(memberPage, GAME_NAME).click();
    await expect(walk.dialogByName(memberPage, GAME_NAME).getByText(translate('game:inProgress'))).toBeVisible();
    await saveScreenshots(memberPage)('game');
    await memberPage.keyboard.press('Escape');
    // While a dialog shows the state, the home page doesn't repeat it.
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await clearFaults();
    await expect(strip(memberPage, translate).locator('[data-end=bad]')).toContainText(
      translate('money:failed.transfer'),
      SETTLE_TIMEOUT,
    );
    await expect(amountTextOf(memberPage, translate('home:inWallet'))).toHaveText('300.00');
    await expectMoney(member, 300_00n, 200_00n);
  });
});

test.describe('a gateway whose callbacks are late or forged', () => {
  test.beforeEach(async ({ memberPage }) => {
    test.setTimeout(120_000);
    await openHome(memberPage);
  });

  test('money of a late callback appears automatically, and once', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-late', delayMs: 20_000, times: 1 });
    const sheet = await walk.createQr(memberPage, translate, 100, async () => undefined);
    const qr = await readNewestQr();
    await depositToBank(member);
    await walk.expectDepositArrival(sheet, translate, 100, async () => undefined);
    await expect.poll(() => readCallbacks(qr), SETTLE_TIMEOUT).toEqual([expect.objectContaining({ status: 200 })]);
    await expectOneDeposit(memberPage, member, '+100.00');
  });

  test('a forged callback shows no money; the actual payment does', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-forged', amount: 9_999, times: 1 });
    const sheet = await walk.createQr(memberPage, translate, 100, async () => undefined);
    const qr = await readNewestQr();
    await expect.poll(() => readCallbacks(qr), SETTLE_TIMEOUT).not.toEqual([]);
    // The server handles a callback before it replies, and notifies the page immediately. The next inquiry follows after
    // 10 s: by then the page would have been notified.
    await expect(sheet.getByRole('timer')).toHaveText(/^09:[0-4]|^0[0-8]/, { timeout: 30_000 });
    await expect(walk.qrImageOfAmount(sheet, translate, 100)).toBeVisible();
    expect((await readWallet(member)).wallet.amount).toBe(0);
    await depositToBank(member);
    await walk.expectDepositArrival(sheet, translate, 100, saveScreenshots(memberPage));
    await expectOneDeposit(memberPage, member, '+100.00');
  });

  test('a forged callback beside the real one credits no more than was paid', async ({ memberPage, member }) => {
    await setFault({ target: 'kbank', fault: 'callback-forged', call: 'payment', times: 1 });
    const sheet = await walk.createQr(memberPage, translate, 100, async () => undefined);
    const qr = await readNewestQr();
    await depositToBank(member);
    await walk.expectDepositArrival(sheet, translate, 100, async () => undefined);
    await expect.poll(async () => (await readCallbacks(qr)).length, SETTLE_TIMEOUT).toBe(2);
    await expectOneDeposit(memberPage, member, '+100.00');
  });
});

test('a gateway that refuses to create a QR is reported in a danger toast; the next QR is created [R-QR-06]', async ({
  memberPage,
}) => {
  await openHome(memberPage);
  await setFault({ target: 'kbank', fault: 'decline', times: 1 });
  const sheet = await openDepositMethod(memberPage, 'qr', 'ธนาคารกสิกรไทย');
  const transferReply = memberPage.waitForResponse(
    (reply) => reply.request().method() === 'POST' && /qrcode/.test(reply.url()),
  );
  await sheet.getByLabel(translate('deposit:amount')).fill('100');
  await walk.buttonByName(sheet, translate('deposit:create')).click();
  expect((await transferReply).status()).toBe(200);
  await expect(memberPage.locator('[data-toast=danger]')).toHaveText(translate('errors:errorMsg.QR_FAIL'));
  await walk.buttonByName(sheet, translate('deposit:create')).click();
  await expect(walk.qrImageOfAmount(sheet, translate, 100)).toBeVisible();
});

async function depositToBank(member: Member): Promise<void> {
  const { body } = await api<{ payload: string }>('GET', '/api/qrcode/KBANK', { token: member.token });
  await payQr(body.payload, memberAsPayer(member));
}

async function expectOneDeposit(page: Page, member: Member, amount: string): Promise<void> {
  expect((await readWallet(member)).wallet.amount).toBe(100);
  await page.getByRole('link', { name: translate('common:menu.statement') }).click();
  await expect(page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem')).toHaveCount(1);
  await expect(newestRow(page)).toContainText(amount);
}

/** The app's ledger and the game both hold the expected amounts, in satang. */
async function expectMoney(member: Member, wallet: bigint, game: bigint): Promise<void> {
  const walletReply = await readWallet(member);
  const pg = walletReply.slots.find(({ code }) => code === 'pg');
  expect([walletReply.wallet.amount.toFixed(2), pg?.amount.toFixed(2)]).toEqual([
    plainAmount(wallet),
    plainAmount(game),
  ]);
  const { body } = await api<{ username: string }>('GET', '/api/wallet/account/pg', { token: member.token });
  expect((await readGamePlayer('pg', body.username)).balance).toBe(plainAmount(game));
}

const plainAmount = (satang: bigint): string => formatSatang(satang).replaceAll(',', '');
