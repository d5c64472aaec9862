import type { Page } from '@playwright/test';
import { api, newAccountNo, newPhone } from '../../support/member.ts';
import { totals } from '../../support/outside.ts';
import { Phone } from '../../support/phone.ts';
import { pictures } from '../../support/pictures.ts';
import { satangOf, shown } from '../../support/satang.ts';
import { expect, MOVING, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import * as walk from '../../support/walk.ts';
import { type Language, speaking } from '../../support/words.ts';

const GAME = 'PG SLOT';
const ROUNDS = 4;
const FIRST_CASH = 1_000_000_00n;
const PAID_IN = 500_00n;
const MOVED_IN = 200_00n;

const say = speaking('th');

const person: walk.Person = {
  phone: newPhone(),
  password: 'Basket-of-gold-9',
  name: 'แก้วตา ทดลอง',
  firstName: 'kaewta',
  lastName: 'thotlong',
  accountNo: newAccountNo(),
};

/** Plays on the game's own page, a round after the other. @returns satang of credit that are left, as that page shows */
async function playRounds(game: Page): Promise<bigint> {
  const spin = game.getByRole('button', { name: 'หมุน' });
  const credit = game.locator('dl > div').filter({ hasText: 'เครดิต' }).getByRole('definition');
  await expect(credit).toHaveText(shown(MOVED_IN));
  for (let round = 0; round < ROUNDS; round += 1) {
    const answer = game.waitForResponse('**/play/spin');
    await expect(spin).toBeEnabled();
    await spin.click();
    const { balance } = (await (await answer).json()) as { balance: string };
    await expect(credit).toHaveText(shown(satangOf(balance)));
    await expect(game.getByRole('status')).not.toHaveText('กำลังหมุน…');
    await expect(spin).toBeEnabled();
  }
  return satangOf(await credit.innerText());
}

/** Moves everything from the game to the wallet, in the game's dialog. @param amount expected satang */
async function bringHome(page: Page, amount: bigint, onScreen: walk.OnScreen): Promise<void> {
  await walk.card(page, GAME).click();
  await walk.button(walk.dialog(page, GAME), say('game:takeHome', { amount: `฿${shown(amount)}` })).click();
  const sheet = walk.dialog(page, say('transfer:title'));
  await walk.button(sheet, say('transfer:all')).click();
  await expect(sheet.getByText(say('transfer:available', { amount: `฿${shown(amount)}` }))).toBeVisible();
  await onScreen('bring-home');
  await walk.button(sheet, say('transfer:submit')).click();
  const done = walk.dialog(page, say('transfer:successTitle'));
  await expect(done).toContainText(`฿${shown(PAID_IN - MOVED_IN + amount)}`);
  await onScreen('home-again');
  await walk.button(done, say('common:ok')).click();
}

type Row = { words: string; amount: bigint };

/** The rows of the statement as they stand there at this moment. */
async function statement(page: Page, title: string): Promise<Row[]> {
  const rows = page.getByRole('list', { name: title }).getByRole('listitem');
  return Promise.all(
    (await rows.all()).map(async (row) => {
      const words = await row.getByRole('paragraph').first().innerText();
      return { words, amount: satangOf(await row.getByText(/^[+−][\d,]+\.\d\d$/).innerText()) };
    }),
  );
}

/** What the statement must tell, in a language: newest first. */
function expected(language: Language, wonBack: bigint): Row[] {
  const tell = speaking(language);
  const wallet = tell('statement:wallet');
  return [
    { words: tell('statement:transfer', { from: GAME, to: wallet }), amount: wonBack },
    { words: tell('statement:transfer', { from: wallet, to: GAME }), amount: -MOVED_IN },
    { words: tell('statement:deposit', { from: 'KBANK' }), amount: PAID_IN },
  ];
}

test.use({ ...MOVING, ...WITH_SERVICE_WORKER });

test('a person signs up, pays in by QR, plays, brings the money home and reads it all in three languages [R-GAME-08]', async ({
  page,
  context,
}) => {
  test.setTimeout(180_000);
  const onScreen = pictures(page);
  const phone = await Phone.open(context);
  await page.bringToFront();
  await page.goto('/login');
  await walk.register(page, say, phone, person, onScreen);
  await walk.logIn(page, say, person, onScreen);
  let loads = 0;
  page.on('load', () => (loads += 1));

  const sheet = await walk.createQr(page, say, 500, onScreen);
  const picture = await walk.saveQr(page, sheet, say);
  await phone.openAccount('ไทยพาณิชย์', { ...payer(), accountName: 'KAEWTA THOTLONG' });
  const asked = await phone.scan(picture);
  expect(satangOf(asked.amount)).toBe(PAID_IN);
  await phone.pay();
  await walk.seeArrival(sheet, say, 500, onScreen);
  await expect(walk.total(page, say)).toHaveText(shown(PAID_IN));

  await walk.openGameAccount(page, say, GAME, onScreen);
  await walk.moveIn(page, say, '200', onScreen);
  await expect(walk.card(page, GAME)).toContainText(`฿${shown(MOVED_IN)}`);
  await walk.card(page, GAME).click();
  const opening = context.waitForEvent('page');
  await walk.button(walk.dialog(page, GAME), say('game:play')).click();
  const game = await opening;
  const left = await playRounds(game);
  await pictures(game)('game');

  await page.bringToFront();
  await page.keyboard.press('Escape');
  await walk.button(page, say('home:checkBalance')).click();
  await expect(walk.card(page, GAME)).toContainText(`฿${shown(left)}`);
  const all = PAID_IN - MOVED_IN + left;
  await expect(walk.total(page, say)).toHaveText(shown(all));
  await onScreen('after-the-game');
  await bringHome(page, left, onScreen);
  await expect(walk.total(page, say)).toHaveText(shown(all));
  await expect(walk.card(page, GAME)).toContainText('฿0.00');
  expect(loads).toBe(0);

  await page.getByRole('link', { name: say('common:menu.statement') }).click();
  const tells = (language: Language) =>
    expect.poll(() => statement(page, speaking(language)('statement:title'))).toEqual(expected(language, left));
  await tells('th');
  expect(expected('th', left).reduce((sum, { amount }) => sum + amount, 0n)).toBe(all);
  await onScreen('statement-th');
  for (const language of ['la', 'en'] as const) {
    await page.getByRole('banner').getByRole('combobox').selectOption(language);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking(language)('statement:title'));
    await tells(language);
    await onScreen(`statement-${language}`);
  }

  await agreesWithOutside(all, left, await playerOf(page));
});

const payer = () => ({ bankCode: 'SCB', accountNo: person.accountNo });

/** What the provider calls the person. */
async function playerOf(page: Page): Promise<string> {
  const token = await page.evaluate(() => sessionStorage.getItem('token') ?? '');
  return (await api<{ username: string }>('GET', '/api/wallet/account/pg', { token })).body.username;
}

/** The wallet holds what the bank account has lost, less what the rounds have taken; nothing is left in the game. */
async function agreesWithOutside(wallet: bigint, wonBack: bigint, username: string): Promise<void> {
  const { bank, games } = await totals();
  const account = bank.find(({ accountNo, bankCode }) => accountNo === person.accountNo && bankCode === 'SCB');
  const paid = FIRST_CASH - satangOf(account?.balance ?? '');
  expect(paid).toBe(PAID_IN);
  const player = games.find((one) => one.provider === 'pg' && one.username === username);
  if (!player) throw new Error('the provider knows no such player');
  expect(satangOf(player.transferredIn)).toBe(MOVED_IN);
  expect(satangOf(player.transferredOut)).toBe(wonBack);
  expect(satangOf(player.balance)).toBe(0n);
  expect(wallet).toBe(paid - satangOf(player.staked) + satangOf(player.won));
}
