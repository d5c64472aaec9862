import type { Locator, Page } from '@playwright/test';
import { openWay } from '../../support/deposit.ts';
import { openGameAtHome } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

async function openWithdraw(page: Page): Promise<Locator> {
  await openHome(page);
  await button(page, say('home:withdraw')).click();
  const field = dialog(page, say('withdraw:title')).getByLabel(say('withdraw:amount'));
  await expect(field).toBeVisible();
  return field;
}

const caretOf = (field: Locator): Promise<number | null> =>
  field.evaluate((input: HTMLInputElement) => input.selectionStart);
const putCaret = (field: Locator, at: number): Promise<void> =>
  field.evaluate((input: HTMLInputElement, place) => input.setSelectionRange(place, place), at);

async function paste(page: Page, field: Locator, text: string): Promise<void> {
  await field.fill('');
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await field.focus();
  await page.keyboard.press('ControlOrMeta+V');
}

async function typeAnew(field: Locator, keys: string): Promise<void> {
  await field.fill('');
  await field.blur();
  await field.pressSequentially(keys);
}

test.describe('an amount that is typed', () => {
  test('reads the comma of a phone’s keypad, digits of any script and pasted amounts as they are meant', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await fund(member, 500);
    const field = await openWithdraw(page);
    const readable: [string, string][] = [
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
    for (const [typed, shown] of readable) {
      await paste(page, field, typed);
      await expect(field, `pasted ${typed}`).toHaveValue(shown);
      await typeAnew(field, typed);
      await expect(field, `typed ${typed}`).toHaveValue(shown);
      expect(await caretOf(field)).toBe(shown.length);
    }
    for (const [pasted, shown] of [
      ['฿1,000.00', '1,000.00'],
      ['1,000.00 บาท', '1,000.00'],
    ] as const) {
      await paste(page, field, pasted);
      await expect(field).toHaveValue(shown);
    }
    await typeAnew(field, '100,50');
    const asked = page.waitForRequest('**/api/wallet/withdrawAll');
    await button(dialog(page, say('withdraw:title')), say('withdraw:submit')).click();
    expect((await asked).postDataJSON()).toEqual({ amount: 100.5 });
  });

  test('is refused in words when it could be two amounts, or is none, and nothing is sent', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 500);
    const field = await openWithdraw(page);
    let sent = 0;
    page.on('request', (request) => (sent += request.url().endsWith('/withdrawAll') ? 1 : 0));
    for (const [typed, reason] of [
      ['1.000', 'ambiguous'],
      ['1,2,3', 'malformed'],
      ['1e5', 'malformed'],
      ['-100', 'negative'],
      ['1234.567', 'decimals'],
      ['1000,500', 'decimals'],
      ['12345678901234', 'tooLarge'],
    ] as const) {
      await typeAnew(field, typed);
      await expect(field).toHaveValue(typed);
      await expect(field).toHaveAccessibleDescription(say(`common:amountFault.${reason}`));
      await expect(field).toHaveAttribute('aria-invalid', 'true');
      await field.press('Enter');
    }
    expect(sent).toBe(0);
    // What is refused can be corrected where it is wrong.
    await typeAnew(field, '1.000');
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1.00');
    await page.keyboard.type('0');
    await putCaret(field, 2);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1,000');
    expect(await caretOf(field)).toBe(1);
  });

  test('is set in groups of three, and the caret stays where the person has it', async ({ memberPage: page }) => {
    const field = await openWithdraw(page);
    await field.fill('1234567');
    await expect(field).toHaveValue('1,234,567');
    // Before the 4: an inserted digit stays before it, and deleting the comma also deletes the digit beside it.
    await putCaret(field, 4);
    await page.keyboard.type('9');
    await expect(field).toHaveValue('12,394,567');
    expect(await caretOf(field)).toBe(5);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('1,234,567');
    expect(await caretOf(field)).toBe(4);
    await putCaret(field, 2);
    await page.keyboard.press('Backspace');
    await expect(field).toHaveValue('234,567');
    expect(await caretOf(field)).toBe(0);
    await putCaret(field, 3);
    await page.keyboard.press('Delete');
    await expect(field).toHaveValue('23,467');
    expect(await caretOf(field)).toBe(4);
    await page.keyboard.type('๕');
    await expect(field).toHaveValue('234,567');
    expect(await caretOf(field)).toBe(5);
    // A decimal sign in the middle, and a digit before the fraction.
    await field.fill('100,50');
    await putCaret(field, 3);
    await page.keyboard.type('7');
    await expect(field).toHaveValue('1,007.50');
    expect(await caretOf(field)).toBe(5);
  });

  test('isn’t rewritten while an input method composes it', async ({ memberPage: page }) => {
    const field = await openWithdraw(page);
    await field.focus();
    const input = await page.context().newCDPSession(page);
    for (const text of ['１', '１２', '１２３', '１２３４'])
      await input.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    await expect(field).toHaveValue('１２３４');
    await input.send('Input.insertText', { text: '１２３４' });
    await expect(field).toHaveValue('1,234');
    expect(await caretOf(field)).toBe(5);
  });
});

test.describe('the limits of an amount', () => {
  test('turn every amount field red in words while it is typed', async ({ memberPage: page, member }) => {
    test.setTimeout(120_000);
    await fund(member, 300);
    await openGame(member, 'pg');
    const expectLimits = async (field: Locator, cases: readonly (readonly [string, string])[]): Promise<void> => {
      for (const [typed, words] of cases) {
        await typeAnew(field, typed);
        await expect(field).toHaveAccessibleDescription(words);
        await expect(field).toHaveAttribute('aria-invalid', 'true');
      }
      await typeAnew(field, '150,5');
      await expect(field).not.toHaveAttribute('aria-invalid');
      await field.fill('');
      await expect(field).not.toHaveAttribute('aria-invalid');
    };

    await expectLimits(await openWithdraw(page), [
      ['99,99', say('withdraw:minimumAmount', { amount: '฿100.00' })],
      ['50000,01', say('withdraw:maximumAmount', { amount: '฿50,000.00' })],
      ['300,01', say('withdraw:notEnough', { amount: '฿300.00' })],
    ]);

    await openHome(page);
    await button(page, say('home:transfer')).click();
    await expectLimits(dialog(page, say('transfer:title')).getByLabel(say('transfer:amount')), [
      ['0,99', say('transfer:minimumAmount', { minimum: '฿1.00' })],
      ['300,01', say('transfer:notEnough', { name: 'กระเป๋า', amount: '฿300.00' })],
    ]);

    const game = await openGameAtHome(page, 'pg');
    await expectLimits(game.getByLabel(say('game:amount')), [
      ['0,99', say('transfer:minimumAmount', { minimum: '฿1.00' })],
      ['300,01', say('game:notEnough', { amount: '฿300.00' })],
    ]);

    await openHome(page);
    const qr = await openWay(page, 'qr', 'ธนาคารกสิกรไทย');
    const range = /^ฝากได้ตั้งแต่ ฿/;
    await typeAnew(qr.getByLabel(say('deposit:amount')), '0,5');
    await expect(qr.getByLabel(say('deposit:amount'))).toHaveAccessibleDescription(range);
    await expect(qr.getByLabel(say('deposit:amount'))).toHaveAttribute('aria-invalid', 'true');

    await openHome(page);
    const bank = await openWay(page, 'bank', 'ธนาคารกสิกรไทย');
    const notice = bank.getByLabel(say('deposit:noticeAmount'));
    await typeAnew(notice, '0,5');
    await expect(notice).toHaveAccessibleDescription(range);
    await expect(notice).toHaveAttribute('aria-invalid', 'true');
  });
});
