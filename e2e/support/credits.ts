import type { Locator, Page } from '@playwright/test';
import { DESKTOP_VIEWPORT, expectNoHorizontalOverflow, PHONE_VIEWPORT } from './accessible.ts';
import { openGameDialog } from './game.ts';
import { openHome } from './home.ts';
import type { Member } from './member.ts';
import { openGameAccount } from './money.ts';
import { expect, test } from './test.ts';
import { type Language, type Translate, translatorFor } from './translate.ts';
import { buttonByName, dialogByName } from './user-actions.ts';

const WINDOW_SIZES = [PHONE_VIEWPORT, DESKTOP_VIEWPORT];

/** Texts "฿1 = 10" and an amount in credits, in the given language. */
export const creditRateText = (translate: Translate, currencySign: string): string =>
  translate('transfer:credits', { money: `${currencySign}1`, credits: '10' });
export const creditAmountText = (translate: Translate, moneyText: string, credits: string): string =>
  translate('transfer:credits', { money: moneyText, credits });

/** Opens the home page in a language. */
export async function openHomeInLanguage(page: Page, language: Language): Promise<void> {
  await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
  await openHome(page);
}

/** Checks both sizes for cut-off content, and saves a screenshot for the report. */
async function lookAt(page: Page, name: string): Promise<void> {
  const before = page.viewportSize() ?? PHONE_VIEWPORT;
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size);
    await expectNoHorizontalOverflow(page, `${name} ${size.width}`);
    await test.info().attach(`${name}-${size.width}`, { body: await page.screenshot(), contentType: 'image/png' });
  }
  await page.setViewportSize(before);
}

const descriptionOf = (field: Locator): Locator => field.locator('xpath=ancestor::div[1]/following-sibling::p');

async function expectGameUnits(page: Page, language: Language, currencySign: string): Promise<void> {
  const translate = translatorFor(language);
  const game = await openGameDialog(page, 'Betflix');
  await expect(game.getByText(translate('game:rate', { rate: creditRateText(translate, currencySign) }))).toBeVisible();
  const amount = game.getByLabel(translate('game:amount'));
  await expect(descriptionOf(amount)).not.toContainText('=');
  await amount.fill('1234.5');
  await expect(amount).toHaveAccessibleDescription(
    `${translate('game:inWallet', { amount: `${currencySign}2,000.00` })} ${creditAmountText(translate, `${currencySign}1,234.50`, '12,345.00')}`,
  );
  await lookAt(page, `game-${language}`);
  await page.keyboard.press('Escape');
}

async function expectTransferUnits(page: Page, language: Language, currencySign: string): Promise<void> {
  const translate = translatorFor(language);
  await buttonByName(page, translate('home:transfer')).click();
  const sheet = dialogByName(page, translate('transfer:title'));
  const amount = sheet.getByLabel(translate('transfer:amount'));
  const availableText = translate('transfer:available', { amount: `${currencySign}2,000.00` });
  const textOfCreditsInGame = (credits: string) => translate('transfer:creditsIn', { name: 'Betflix', credits });
  // Where one credit is one unit of money, no rate is shown.
  await sheet.getByLabel(translate('transfer:to'), { exact: true }).selectOption('pg');
  await expect(amount).toHaveAccessibleDescription(availableText);
  await sheet.getByLabel(translate('transfer:to'), { exact: true }).selectOption('betflix');
  await expect(amount).toHaveAccessibleDescription(
    `${availableText} ${textOfCreditsInGame(creditRateText(translate, currencySign))}`,
  );
  await amount.fill('100');
  await expect(amount).toHaveAccessibleDescription(
    `${availableText} ${textOfCreditsInGame(creditAmountText(translate, `${currencySign}100.00`, '1,000.00'))}`,
  );
  await lookAt(page, `transfer-${language}`);
  await page.keyboard.press('Escape');
}

/** Expects that the play and transfer pages show the rate of one unit of money in credits, and amounts in credits. */
export async function expectCreditUnits(page: Page, language: Language, currencySign: string): Promise<void> {
  await openHomeInLanguage(page, language);
  await expectGameUnits(page, language, currencySign);
  await expectTransferUnits(page, language, currencySign);
}

/** Opens one game account that counts in money and one that counts in credits. */
export async function openBothGames(member: Member): Promise<void> {
  await openGameAccount(member, 'pg');
  await openGameAccount(member, 'betflix');
}
