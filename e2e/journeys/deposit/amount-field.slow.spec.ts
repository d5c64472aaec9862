import type { Locator, Page } from '@playwright/test';
import { PHONE_VIEWPORT, SMALLEST_VIEWPORT } from '../../support/accessible.ts';
import { advising, usedNow } from '../../support/deposit-advice.ts';
import { GAMES, openGameDialog } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import type { Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, depositMethodButtons, dialogByName } from '../../support/user-actions.ts';

/** What a person types in one go: too little, too much, readable in two ways, no amount, and fitting amounts. */
const TYPED = ['1', '0,5', '1.000', '1e5', '-1', '1234.567', '99999999', '12345678901234', '10', '100', '250', ''];

type Place = { field: number; button: number | undefined; sheet: number };

/**
 * Tops, in px, of the field, of the button that sends it, and of the sheet. The button is undefined where a note that no
 * method takes the amount replaces it.
 */
const placeOf = (field: Locator): Promise<Place> =>
  field.evaluate((input) => {
    const top = (element: Element): number => Math.round(element.getBoundingClientRect().top);
    const form = input.closest('form');
    const [sheet] = input.closest('dialog')?.getElementsByTagName('header') ?? [];
    if (!sheet) throw new Error('the field is in no sheet');
    const buttons = input.closest('dialog')?.querySelectorAll('.bg-lacquer') ?? [];
    const button = form ? form.querySelector('button[type=submit]') : [...buttons].at(-1);
    return { field: top(input), button: button ? top(button) : undefined, sheet: top(sheet) };
  });

async function expectStill(field: Locator, name: string, typed: readonly string[] = TYPED): Promise<void> {
  await expect(field).toBeVisible();
  await expect(field.page().locator('dialog[open] [aria-busy=true]')).toHaveCount(0);
  // The sheet slides in.
  await expect
    .poll(async () => {
      const { sheet } = await placeOf(field);
      await field.page().waitForTimeout(100);
      return (await placeOf(field)).sheet === sheet;
    })
    .toBe(true);
  await field.focus();
  await field.fill('');
  const before = await placeOf(field);
  for (const text of typed) {
    await field.fill(text);
    const { button = before.button, ...place } = await placeOf(field);
    expect.soft({ ...place, button }, `${name}: ${text}`).toEqual(before);
  }
}

const OFFER = {
  code: 'OFFER',
  name: 'Bonus 100%',
  percent: 100,
  fixed: null,
  maximum: 500,
  minimumDeposit: 100,
  percentSuccess: 300,
  percentFail: 0,
  turnoverTimes: 5,
};

type Sheet = (page: Page, language: Language) => Promise<Locator>;

async function depositField(
  page: Page,
  language: Language,
  kind: 'qr' | 'bank',
  name: RegExp,
  label: 'amount' | 'announcementAmount',
) {
  const translate = translatorFor(language);
  await buttonByName(page, translate('home:deposit')).click();
  const sheet = dialogByName(page, translate('deposit:title'));
  await depositMethodButtons(sheet, translate, kind).filter({ hasText: name }).first().click();
  return sheet.getByLabel(translate(`deposit:${label}`));
}

const sheetField =
  (name: 'withdraw' | 'transfer'): Sheet =>
  async (page, language) => {
    const translate = translatorFor(language);
    await buttonByName(page, translate(`home:${name}`)).click();
    return dialogByName(page, translate(`${name}:title`)).getByLabel(translate(`${name}:amount`));
  };

const SHEETS: Readonly<Record<string, Sheet>> = {
  deposit: async (page, language) => {
    const translate = translatorFor(language);
    await buttonByName(page, translate('home:deposit')).click();
    return dialogByName(page, translate('deposit:title')).getByLabel(translate('deposit:advice.howMuch'));
  },
  'deposit with a bonus': async (page, language) => {
    const translate = translatorFor(language);
    await page.route('**/api/deposit/bonuses', (route) =>
      route.fulfill({ json: { bonuses: [OFFER], obstacle: null } }),
    );
    await buttonByName(page, translate('home:deposit')).click();
    const sheet = dialogByName(page, translate('deposit:title'));
    await sheet.getByRole('button', { name: `${translate('deposit:bonus.label')}: ` }).click();
    await sheet.getByRole('radio').nth(1).click();
    return sheet.getByLabel(translate('deposit:advice.howMuch'));
  },
  'a QR of one bank': (page, language) =>
    depositField(page, language, 'qr', /กสิกร|ກະສິກອນ|KASIKORN|Kasikorn/i, 'amount'),
  'an announced transfer': (page, language) => depositField(page, language, 'bank', /./, 'announcementAmount'),
  withdraw: sheetField('withdraw'),
  transfer: sheetField('transfer'),
  'transfer to a game with credits': async (page, language) => {
    const field = await sheetField('transfer')(page, language);
    const translate = translatorFor(language);
    await dialogByName(page, translate('transfer:title'))
      .getByLabel(translate('transfer:to'), { exact: true })
      .selectOption('betflix');
    return field;
  },
  game: async (page, language) =>
    (await openGameDialog(page, GAMES.pg)).getByLabel(translatorFor(language)('game:amount')),
};

async function prepare(page: Page, member: Member, language: Language): Promise<void> {
  test.setTimeout(240_000);
  await fundWallet(member, 300);
  for (const game of ['pg', 'betflix']) await openGameAccount(member, game);
  await transferMoney(member, 'WALLET', 'pg', 20);
  await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
}

const SCREENS = [
  [PHONE_VIEWPORT, 'th'],
  [SMALLEST_VIEWPORT, 'la'],
  [SMALLEST_VIEWPORT, 'en'],
] as const;

for (const [viewport, language] of SCREENS)
  test.describe(`at ${viewport.width} in ${language}`, () => {
    test.use({ viewport });

    test('field, button and sheet keep their places while an amount is typed, in each sheet that asks for one [R-WALLET-01]', async ({
      memberPage: page,
      member,
    }) => {
      await prepare(page, member, language);
      for (const [name, open] of Object.entries(SHEETS)) {
        await openHome(page);
        // With a bonus, an amount that no method takes lets the scrolled card move.
        const typed = name === 'deposit with a bonus' ? TYPED.filter((text) => text !== '99999999') : TYPED;
        await expectStill(await open(page, language), name, typed);
      }
    });
  });

for (const language of ['th', 'la', 'en'] as const)
  test(`what is added to an amount is said beside it before a QR or an announcement is created, in ${language} [R-WALLET-01]`, async ({
    memberPage: page,
  }) => {
    const translate = translatorFor(language);
    const mayAdd = translate('deposit:mayAdd', { most: '฿0.99' });
    const created: string[] = [];
    page.on('request', (request) => {
      const { pathname } = new URL(request.url());
      if (request.method() === 'POST' && /^\/api\/(qrcode\/|wallet\/add$)/.test(pathname)) created.push(pathname);
    });
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await advising(page, { 'qr FP': usedNow() });
    await openHome(page);
    await buttonByName(page, translate('home:deposit')).click();
    const sheet = dialogByName(page, translate('deposit:title'));
    const question = sheet.getByLabel(translate('deposit:advice.howMuch'));
    const pay = sheet.locator('form button[type=submit]');
    await question.fill('300');
    await expect(pay).toContainText(translate('deposit:advice.anyBankApp'));
    // A gateway that identifies payments by their number asks for the entered amount.
    await expect(sheet.getByText(mayAdd)).toHaveCount(0);
    await depositMethodButtons(sheet, translate, 'bank').first().click();
    await expect(sheet.getByText(mayAdd)).toBeVisible();
    await buttonByName(sheet, translate('deposit:otherWays')).click();
    await depositMethodButtons(sheet, translate, 'qr').last().click();
    await expect(sheet.getByLabel(translate('deposit:amount'))).toHaveValue('300');
    await expect(sheet.getByText(mayAdd)).toBeVisible();
    await page.unroute('**/api/deposit/advice');
    await advising(page, { 'qr PAYONEX': usedNow() });
    await page.reload();
    await buttonByName(page, translate('home:deposit')).click();
    await question.fill('300');
    await expect(pay).toContainText(mayAdd);
    expect(created).toEqual([]);
    await pay.click();
    await expect(sheet.getByText(/฿300\.(?!00)\d\d/).first()).toBeVisible();
    expect(created).toEqual(['/api/qrcode/PAYONEX']);
  });
