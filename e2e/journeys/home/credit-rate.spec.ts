import type { Locator, Page } from '@playwright/test';
import { DESK, fits, PHONE } from '../../support/accessible.ts';
import { openGameDialog } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { api, type Member, newMember } from '../../support/member.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { payQr } from '../../support/outside.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { type Language, type Say, speaking } from '../../support/words.ts';

const SIZES = [PHONE, DESK];

/** "฿1 = 10" and what an amount is, as the language says it. */
const rateIn = (say: Say, sign: string): string => say('transfer:credits', { money: `${sign}1`, credits: '10' });
const creditsIn = (say: Say, money: string, credits: string): string => say('transfer:credits', { money, credits });

async function openIn(page: Page, language: Language): Promise<void> {
  await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
  await openHome(page);
}

/** At both sizes nothing is cut off, and a picture is kept for the reader of the report. */
async function lookAt(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? PHONE;
  for (const size of SIZES) {
    await page.setViewportSize(size);
    await fits(page, `${name} ${size.width}`);
    await test.info().attach(`${name}-${size.width}`, { body: await page.screenshot(), contentType: 'image/png' });
  }
  await page.setViewportSize(before);
}

const described = (field: Locator): Locator => field.locator('xpath=ancestor::div[1]/following-sibling::p');

async function gameTells(page: Page, language: Language, sign: string): Promise<void> {
  const say = speaking(language);
  const game = await openGameDialog(page, 'Betflix');
  await expect(game.getByText(say('game:rate', { rate: rateIn(say, sign) }))).toBeVisible();
  const amount = game.getByLabel(say('game:amount'));
  await expect(described(amount)).not.toContainText('=');
  await amount.fill('1234.5');
  await expect(amount).toHaveAccessibleDescription(
    `${say('game:inWallet', { amount: `${sign}2,000.00` })} ${creditsIn(say, `${sign}1,234.50`, '12,345.00')}`,
  );
  await lookAt(page, `game-${language}`);
  await page.keyboard.press('Escape');
}

async function transferTells(page: Page, language: Language, sign: string): Promise<void> {
  const say = speaking(language);
  await button(page, say('home:transfer')).click();
  const sheet = dialog(page, say('transfer:title'));
  const amount = sheet.getByLabel(say('transfer:amount'));
  const available = say('transfer:available', { amount: `${sign}2,000.00` });
  const inGame = (credits: string) => say('transfer:creditsIn', { name: 'Betflix', credits });
  // Where a credit is worth as much there is nothing to say.
  await sheet.getByLabel(say('transfer:to'), { exact: true }).selectOption('pg');
  await expect(amount).toHaveAccessibleDescription(available);
  await sheet.getByLabel(say('transfer:to'), { exact: true }).selectOption('betflix');
  await expect(amount).toHaveAccessibleDescription(`${available} ${inGame(rateIn(say, sign))}`);
  await amount.fill('100');
  await expect(amount).toHaveAccessibleDescription(
    `${available} ${inGame(creditsIn(say, `${sign}100.00`, '1,000.00'))}`,
  );
  await lookAt(page, `transfer-${language}`);
  await page.keyboard.press('Escape');
}

async function unitsTold(page: Page, language: Language, sign: string): Promise<void> {
  await openIn(page, language);
  await gameTells(page, language, sign);
  await transferTells(page, language, sign);
}

async function gamesOf(member: Member): Promise<void> {
  await openGame(member, 'pg');
  await openGame(member, 'betflix');
}

test.describe('a game that counts in credits', () => {
  test('says what ฿1 is there, and what an amount becomes, where one plays and where one transfers, in each language', async ({
    memberPage,
    member,
  }) => {
    test.setTimeout(180_000);
    await gamesOf(member);
    await fund(member, 2_000);
    for (const language of ['th', 'la', 'en'] as const) await unitsTold(memberPage, language, '฿');
  });

  test('says so before the account is opened, and what comes back from there; one of the same unit says nothing', async ({
    memberPage,
    member,
  }) => {
    const say = speaking('th');
    await openIn(memberPage, 'th');
    const closed = await openGameDialog(memberPage, 'Betflix');
    await expect(closed.getByText(say('game:rate', { rate: rateIn(say, '฿') }))).toBeVisible();
    await memberPage.keyboard.press('Escape');
    const same = await openGameDialog(memberPage, 'PG SLOT');
    await expect(button(same, say('game:open'))).toBeVisible();
    await expect(same).not.toContainText('=');
    await memberPage.keyboard.press('Escape');

    await gamesOf(member);
    await fund(member, 300);
    await transfer(member, 'WALLET', 'betflix', 100);
    await openIn(memberPage, 'th');
    const game = await openGameDialog(memberPage, 'Betflix');
    await button(game, say('game:takeHome')).click();
    const sheet = dialog(memberPage, say('transfer:title'));
    const amount = sheet.getByLabel(say('transfer:amount'));
    await amount.fill('40');
    await expect(amount).toHaveAccessibleDescription(
      `${say('transfer:available', { amount: '฿100.00' })} ${say('transfer:creditsIn', { name: 'Betflix', credits: creditsIn(say, '฿40.00', '400.00') })}`,
    );
  });
});

test.describe('a game that counts in credits, VARIANT=lao', () => {
  ownSystem({ VARIANT: 'lao' });

  test('says what ₭1 is there, and what an amount becomes, in Lao', async ({ page }) => {
    const member = await newMember({ currency: 'LAK', bankCode: 'BCEL' });
    const { token } = member;
    const { body } = await api<{ payload: string }>('POST', '/api/qrcode/BCEL', { token, body: { amount: 2_000 } });
    const payer = { bankCode: 'BCEL', accountNo: member.bankAccountNo, accountName: 'SOMYING THOTSOP' };
    await payQr(body.payload, payer);
    await expect.poll(async () => (await walletOf(member)).wallet.amount).toBe(2_000);
    await gamesOf(member);
    await signIn(page, member);
    await unitsTold(page, 'la', '₭');
  });
});
