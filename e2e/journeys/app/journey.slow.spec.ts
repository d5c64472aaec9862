import type { Page } from '@playwright/test';
import { api, newAccountNo, newPhone } from '../../support/member.ts';
import { SmsPhone } from '../../support/phone.ts';
import { parseSatang, formatSatang } from '../../support/satang.ts';
import { saveScreenshots } from '../../support/screenshots.ts';
import { readSimulatorTotals } from '../../support/simulators.ts';
import { expect, WITH_MOTION, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import * as walk from '../../support/user-actions.ts';

const GAME_NAME = 'PG SLOT';
const ROUND_COUNT = 4;
const FIRST_CASH_SATANG = 1_000_000_00n;
const PAID_IN_SATANG = 500_00n;
const MOVED_IN_SATANG = 200_00n;

const translate = translatorFor('th');

const user: walk.UserProfile = {
  phone: newPhone(),
  password: 'Basket-of-gold-9',
  name: 'แก้วตา ทดลอง',
  firstName: 'kaewta',
  lastName: 'thotlong',
  accountNo: newAccountNo(),
};

/** Plays rounds on the game's own page. @returns the remaining credit on that page, in satang */
async function playRounds(game: Page): Promise<bigint> {
  const spin = game.getByRole('button', { name: 'หมุน' });
  const credit = game.locator('dl > div').filter({ hasText: 'เครดิต' }).getByRole('definition');
  await expect(credit).toHaveText(formatSatang(MOVED_IN_SATANG));
  for (let round = 0; round < ROUND_COUNT; round += 1) {
    const spinReply = game.waitForResponse('**/play/spin');
    await expect(spin).toBeEnabled();
    await spin.click();
    const { balance } = (await (await spinReply).json()) as { balance: string };
    await expect(credit).toHaveText(formatSatang(parseSatang(balance)));
    await expect(game.getByRole('status')).not.toHaveText('กำลังหมุน…');
    await expect(spin).toBeEnabled();
  }
  return parseSatang(await credit.innerText());
}

/** Moves everything from the game to the wallet by one press in the game's dialog. @param amount expected satang */
async function transferHomeByUser(page: Page, amount: bigint, onScreen: walk.ScreenCallback): Promise<void> {
  await walk.gameCard(page, GAME_NAME).click();
  const home = { amount: `฿${formatSatang(amount)}` };
  const takeHome = walk.buttonByName(walk.dialogByName(page, GAME_NAME), translate('game:takeHome', home));
  await expect(takeHome).toBeVisible();
  await onScreen('bring-home');
  await takeHome.click();
  await expect(page.getByText(translate('game:broughtHome', home))).toBeVisible();
  await onScreen('home-again');
  await page.keyboard.press('Escape');
}

type StatementRow = { text: string; amount: bigint };

/** Reads the current rows of the statement. */
async function readStatement(page: Page, title: string): Promise<StatementRow[]> {
  const rows = page.getByRole('list', { name: title }).getByRole('listitem');
  return Promise.all(
    (await rows.all()).map(async (row) => {
      const rowText = await row.getByRole('paragraph').first().innerText();
      return { text: rowText, amount: parseSatang(await row.getByText(/^[+−][\d,]+\.\d\d$/).innerText()) };
    }),
  );
}

/** Expected rows of the statement in a language, newest first. */
function expectedStatement(language: Language, wonSatang: bigint): StatementRow[] {
  const translateTo = translatorFor(language);
  const wallet = translateTo('statement:wallet');
  return [
    { text: translateTo('statement:transfer', { from: GAME_NAME, to: wallet }), amount: wonSatang },
    { text: translateTo('statement:transfer', { from: wallet, to: GAME_NAME }), amount: -MOVED_IN_SATANG },
    { text: translateTo('statement:deposit', { from: 'KBANK' }), amount: PAID_IN_SATANG },
  ];
}

test.use({ ...WITH_MOTION, ...WITH_SERVICE_WORKER });

test('a new member registers, deposits by QR, plays, moves the money to the wallet, and reads every step in three languages [R-GAME-08]', async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const onScreen = saveScreenshots(page);
  const phone = await SmsPhone.open(context);
  await page.bringToFront();
  await page.goto('/login');
  await walk.registerUser(page, translate, phone, user, onScreen);
  await walk.logInUser(page, translate, user, onScreen);
  let loadCount = 0;
  page.on('load', () => (loadCount += 1));

  const sheet = await walk.createQr(page, translate, 500, onScreen);
  const qrImage = await walk.saveQr(page, sheet, translate);
  await phone.openAccount('ไทยพาณิชย์', { ...payerOfDeposit(), accountName: 'KAEWTA THOTLONG' });
  const scannedQr = await phone.scanQr(qrImage);
  expect(parseSatang(scannedQr.amount)).toBe(PAID_IN_SATANG);
  await phone.payScannedQr();
  await walk.expectDepositArrival(sheet, translate, 500, onScreen);
  await expect(walk.totalBalanceText(page, translate)).toHaveText(formatSatang(PAID_IN_SATANG));

  await walk.openGameAccountFromCard(page, translate, GAME_NAME, onScreen);
  await walk.transferToGame(page, translate, '200', onScreen);
  await expect(walk.gameCard(page, GAME_NAME)).toContainText(`฿${formatSatang(MOVED_IN_SATANG)}`);
  await walk.gameCard(page, GAME_NAME).click();
  const popupOpened = context.waitForEvent('page');
  await walk.buttonByName(walk.dialogByName(page, GAME_NAME), translate('game:play')).click();
  const game = await popupOpened;
  const gameBalance = await playRounds(game);
  await saveScreenshots(game)('game');

  await page.bringToFront();
  await page.keyboard.press('Escape');
  await walk.buttonByName(page, translate('home:checkBalance')).click();
  await expect(walk.gameCard(page, GAME_NAME)).toContainText(`฿${formatSatang(gameBalance)}`);
  const totalSatang = PAID_IN_SATANG - MOVED_IN_SATANG + gameBalance;
  await expect(walk.totalBalanceText(page, translate)).toHaveText(formatSatang(totalSatang));
  await onScreen('after-the-game');
  await transferHomeByUser(page, gameBalance, onScreen);
  await expect(walk.totalBalanceText(page, translate)).toHaveText(formatSatang(totalSatang));
  await expect(walk.gameCard(page, GAME_NAME)).toContainText('฿0.00');
  expect(loadCount).toBe(0);

  await page.getByRole('link', { name: translate('common:menu.statement') }).click();
  const expectTotals = (language: Language) =>
    expect
      .poll(() => readStatement(page, translatorFor(language)('statement:title')))
      .toEqual(expectedStatement(language, gameBalance));
  await expectTotals('th');
  expect(expectedStatement('th', gameBalance).reduce((total, { amount }) => total + amount, 0n)).toBe(totalSatang);
  await onScreen('statement-th');
  for (const language of ['la', 'en'] as const) {
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor(language)('statement:title'));
    await expectTotals(language);
    await onScreen(`statement-${language}`);
  }

  await assertOutsideAgrees(totalSatang, gameBalance, await readPlayerUsername(page));
});

const payerOfDeposit = () => ({ bankCode: 'SCB', accountNo: user.accountNo });

/** Reads the player's name at the provider. */
async function readPlayerUsername(page: Page): Promise<string> {
  const token = await page.evaluate(() => sessionStorage.getItem('token') ?? '');
  return (await api<{ username: string }>('GET', '/api/wallet/account/pg', { token })).body.username;
}

/** Asserts that the wallet holds the bank account's payments less the losses, and the game account nothing. */
async function assertOutsideAgrees(wallet: bigint, wonBack: bigint, username: string): Promise<void> {
  const { bank, games } = await readSimulatorTotals();
  const account = bank.find(({ accountNo, bankCode }) => accountNo === user.accountNo && bankCode === 'SCB');
  const paidSatang = FIRST_CASH_SATANG - parseSatang(account?.balance ?? '');
  expect(paidSatang).toBe(PAID_IN_SATANG);
  const player = games.find((game) => game.provider === 'pg' && game.username === username);
  if (!player) throw new Error('the provider knows no such player');
  expect(parseSatang(player.transferredIn)).toBe(MOVED_IN_SATANG);
  expect(parseSatang(player.transferredOut)).toBe(wonBack);
  expect(parseSatang(player.balance)).toBe(0n);
  expect(wallet).toBe(paidSatang - parseSatang(player.staked) + parseSatang(player.won));
}
