import type { Locator, Page } from '@playwright/test';
import { openDepositMethod } from '../../support/deposit.ts';
import { openGameFromHome } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, sendWithdrawal } from '../../support/user-actions.ts';

const translate = translatorFor('th');

async function openWithdraw(page: Page): Promise<Locator> {
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  const field = dialogByName(page, translate('withdraw:title')).getByLabel(translate('withdraw:amount'));
  await expect(field).toBeVisible();
  return field;
}

const caretOf = (field: Locator): Promise<number | null> =>
  field.evaluate((input: HTMLInputElement) => input.selectionStart);
const setCaret = (field: Locator, caretPosition: number): Promise<void> =>
  field.evaluate((input: HTMLInputElement, place) => input.setSelectionRange(place, place), caretPosition);

async function pasteText(page: Page, field: Locator, text: string): Promise<void> {
  await field.fill('');
  await page.evaluate((copiedText) => navigator.clipboard.writeText(copiedText), text);
  await field.focus();
  await page.keyboard.press('ControlOrMeta+V');
}

async function retypeText(field: Locator, keys: string): Promise<void> {
  await field.fill('');
  await field.blur();
  await field.pressSequentially(keys);
}

test.describe('an amount that is typed', () => {
  test("a typed amount may have the comma of a phone's keypad, digits of any script, or be pasted with separators", async ({
    memberPage: page,
    member,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await fundWallet(member, 500);
    const field = await openWithdraw(page);
    const readableAmounts: [string, string][] = [
      ['1234567', '1,234,567'],
      ['100,50', '100.50'],
      ['1,5', '1.5'],
      ['1,000', '1,000'],
      ['1,000,50', '1,000.50'],
      ['1.000,50', '1,000.50'],
      ['1 000,50', '1,000.50'],
      ["1'000", '1,000'],
      ['๑๐๐.๕๐', '100.50'],
      ['໑໐໐,໕໐', '100.50'],
      ['١٠٠٫٥٠', '100.50'],
      ['１００．５', '100.5'],
    ];
    for (const [typedText, shownText] of readableAmounts) {
      await pasteText(page, field, typedText);
      await expect(field, `pasted ${typedText}`).toHaveValue(shownText);
      await retypeText(field, typedText);
      await expect(field, `typed ${typedText}`).toHaveValue(shownText);
      expect(await caretOf(field)).toBe(shownText.length);
    }
    for (const [pastedText, shown] of [
      ['฿1,000.00', '1,000.00'],
      ['1,000.00 บาท', '1,000.00'],
    ] as const) {
      await pasteText(page, field, pastedText);
      await expect(field).toHaveValue(shown);
    }
    await retypeText(field, '100,50');
    const withdrawRequest = page.waitForRequest('**/api/wallet/withdrawAll');
    await sendWithdrawal(dialogByName(page, translate('withdraw:title')), translate);
    expect((await withdrawRequest).postDataJSON()).toEqual({ amount: 100.5 });
  });

  test('an ambiguous or invalid amount is refused in words, and nothing is sent', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    const field = await openWithdraw(page);
    let requestCount = 0;
    page.on('request', (request) => (requestCount += request.url().endsWith('/withdrawAll') ? 1 : 0));
    for (const [typedText, reason] of [
      ['1.000', 'ambiguous'],
      ['1,2,3', 'malformed'],
      ['1e5', 'malformed'],
      ['-100', 'negative'],
      ['1234.567', 'decimals'],
      ['1000,500', 'decimals'],
      ['12345678901234', 'tooLarge'],
    ] as const) {
      await retypeText(field, typedText);
      await expect(field).toHaveValue(typedText);
      await expect(field).toHaveAccessibleDescription(translate(`common:amountFault.${reason}`));
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await field.press('Enter');
    }
    expect(requestCount).toBe(0);
    // A refused amount can be corrected in place.
    await retypeText(field, '1.000');
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1.00');
    await page.keyboard.type('0');
    await setCaret(field, 2);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1,000');
    expect(await caretOf(field)).toBe(1);
  });

  test('a typed amount is grouped by three digits, and the caret stays in place', async ({ memberPage: page }) => {
    const field = await openWithdraw(page);
    await field.fill('1234567');
    await expect(field).toHaveValue('1,234,567');
    // Before the 4: an inserted digit stays before the caret, and deleting the comma also deletes the adjacent digit.
    await setCaret(field, 4);
    await page.keyboard.type('9');
    await expect(field).toHaveValue('12,394,567');
    expect(await caretOf(field)).toBe(5);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1,234,567');
    expect(await caretOf(field)).toBe(4);
    await setCaret(field, 2);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('234,567');
    expect(await caretOf(field)).toBe(0);
    await setCaret(field, 3);
    await page.keyboard.press('Delete');
    await expect(field).toHaveValue('23,467');
    expect(await caretOf(field)).toBe(4);
    await page.keyboard.type('๕');
    await expect(field).toHaveValue('234,567');
    expect(await caretOf(field)).toBe(5);
    // A decimal sign in the middle, and a digit before the fraction.
    await field.fill('100,50');
    await setCaret(field, 3);
    await page.keyboard.type('7');
    await expect(field).toHaveValue('1,007.50');
    expect(await caretOf(field)).toBe(5);
  });
});

test.describe('an amount that an input method composes', () => {
  test("an amount is not rewritten during an input method's composition, and Enter then sends all of it", async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 5_000);
    const field = await openWithdraw(page);
    await field.focus();
    const input = await page.context().newCDPSession(page);
    for (const text of ['１', '１２', '１２３', '１２３４'])
      await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await expect(field).toHaveValue('１２３４');
    await input.send('Input.insertText', { text: '１２３４' });
    await expect(field).toHaveValue('1,234');
    expect(await caretOf(field)).toBe(5);
    await field.fill('123');
    await input.send('Input.imeSetComposition', { text: '４', selectionStart: 1, selectionEnd: 1 });
    await page.keyboard.press('Enter');
    await expect(page.getByRole('region', { name: translate('withdraw:review.title') })).toContainText('1,234.00');
  });
});

test.describe('the limits of an amount', () => {
  test('an amount outside the limits marks every amount field as invalid, in words, while it is typed', async ({
    memberPage: page,
    member,
  }) => {
    test.setTimeout(120_000);
    await fundWallet(member, 300);
    await openGameAccount(member, 'pg');
    const expectLimits = async (field: Locator, cases: readonly (readonly [string, string])[]): Promise<void> => {
      for (const [typedText, expectedText] of cases) {
        await retypeText(field, typedText);
        await expect(field).toHaveAccessibleDescription(expectedText);
        await expect(field).toHaveAttribute('aria-invalid', 'true');
      }
      await retypeText(field, '150,5');
      await expect(field).not.toHaveAttribute('aria-invalid');
      await field.fill('');
      await expect(field).not.toHaveAttribute('aria-invalid');
    };

    await expectLimits(await openWithdraw(page), [
      ['99,99', translate('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['50000,01', translate('withdraw:maximumAmount', { amount: '฿50,000.00' })],
      ['300,01', translate('withdraw:notEnough', { amount: '฿300.00' })],
    ]);

    await openHome(page);
    await buttonByName(page, translate('home:transfer')).click();
    await expectLimits(dialogByName(page, translate('transfer:title')).getByLabel(translate('transfer:amount')), [
      ['0,99', translate('transfer:minimumAmount', { minimum: '฿1.00' })],
      ['300,01', translate('transfer:notEnough', { name: 'กระเป๋า', amount: '฿300.00' })],
    ]);

    const game = await openGameFromHome(page, 'pg');
    await expectLimits(game.getByLabel(translate('game:amount')), [
      ['0,99', translate('transfer:minimumAmount', { minimum: '฿1.00' })],
      ['300,01', translate('game:notEnough', { amount: '฿300.00' })],
    ]);

    await openHome(page);
    const qr = await openDepositMethod(page, 'qr', 'ธนาคารกสิกรไทย');
    const range = /^ฝากได้ตั้งแต่ ฿/;
    await retypeText(qr.getByLabel(translate('deposit:amount')), '0,5');
    await expect(qr.getByLabel(translate('deposit:amount'))).toHaveAccessibleDescription(range);
    await expect(qr.getByLabel(translate('deposit:amount'))).toHaveAttribute('aria-invalid', 'true');

    await openHome(page);
    const bank = await openDepositMethod(page, 'bank', 'ธนาคารกสิกรไทย');
    const announcedAmount = bank.getByLabel(translate('deposit:announcementAmount'));
    await retypeText(announcedAmount, '0,5');
    await expect(announcedAmount).toHaveAccessibleDescription(range);
    await expect(announcedAmount).toHaveAttribute('aria-invalid', 'true');
  });
});
