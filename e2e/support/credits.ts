import type { Locator, Page } from '@playwright/test';
import { DESK, fits, PHONE } from './accessible.ts';
import { openGameDialog } from './game.ts';
import { openHome } from './home.ts';
import type { Member } from './member.ts';
import { openGame } from './money.ts';
import { expect, test } from './test.ts';
import { button, dialog } from './walk.ts';
import { type Language, type Say, speaking } from './words.ts';

const SIZES = [PHONE, DESK];

/** "฿1 = 10" and what an amount is, as the language says it. */
export const rateIn = (say: Say, sign: string): string => say('transfer:credits', { money: `${sign}1`, credits: '10' });
export const creditsIn = (say: Say, money: string, credits: string): string =>
  say('transfer:credits', { money, credits });

/** Opens the home page in a language. */
export async function openIn(page: Page, language: Language): Promise<void> {
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

/** Where one plays and where one transfers, the app says what one unit of the member's money is in credits, and what an amount becomes. */
export async function expectUnits(page: Page, language: Language, sign: string): Promise<void> {
  await openIn(page, language);
  await gameTells(page, language, sign);
  await transferTells(page, language, sign);
}

/** Opens an account at a game that counts in money and at one that counts in credits. */
export async function openBothGames(member: Member): Promise<void> {
  await openGame(member, 'pg');
  await openGame(member, 'betflix');
}
