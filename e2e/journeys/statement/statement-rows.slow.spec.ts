import type { Locator, Page } from '@playwright/test';
import { blockEventSocket } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { statementEntry } from '../../support/statement-entry.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const MONTH_S = 2_592_000;
const YEAR_S = 31_536_000;

async function openWith(page: Page, changes: readonly object[]): Promise<Locator> {
  const statements = changes.map((entryChange, index) => statementEntry(index, entryChange));
  await page.route('**/api/statement', (route) => route.fulfill({ json: { total: statements.length, statements } }));
  await page.goto('/user/statement');
  const rows = page.getByRole('main').getByRole('list').getByRole('listitem');
  await expect(rows).toHaveCount(statements.length);
  return rows;
}

/** The colour of a text as red, green and blue, in any CSS notation. */
const readColour = (text: Locator) =>
  text.evaluate((element) => {
    const canvasContext = document.createElement('canvas').getContext('2d');
    if (!canvasContext) throw new Error('no canvas');
    canvasContext.fillStyle = getComputedStyle(element).color;
    canvasContext.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = canvasContext.getImageData(0, 0, 1, 1).data;
    return { red, green, blue };
  });

async function expectBadge(badge: Locator, status: string, translate: (key: string) => string): Promise<void> {
  const knownStatus = status === 'SUCCESS' || status === 'FAILED' ? status : 'PROCESSING';
  await expect(badge, status).toHaveText(translate(`parts:status.${knownStatus}`));
  const { red, green, blue } = await readColour(badge);
  if (knownStatus === 'SUCCESS') expect(green, 'green').toBeGreaterThan(Math.max(red, blue) + 20);
  if (knownStatus === 'FAILED') expect(red, 'red').toBeGreaterThan(Math.max(green, blue) + 60);
  // Amber: red and green far above blue.
  if (knownStatus === 'PROCESSING') expect(Math.min(red, green), 'amber').toBeGreaterThan(blue + 60);
}

test('SUCCESS is green, FAILED red and any other state in progress and amber, for movements and slips [R-STMT-01] [R-STMT-03]', async ({
  memberPage: page,
  wire,
}) => {
  // A status that this version of the app doesn't have.
  wire.expectFault(/POST \/api\/statement answered 200: statements\.3\.status/);
  wire.expectFault(/POST \/api\/statement\/slip answered 200: slips\.3\.status/);
  const translate = translatorFor('th');
  const slipStatuses = ['SUCCESS', 'FAILED', 'PROCESSING', 'PENDING', 'A_NEW_ONE'];
  const listedSlips = slipStatuses.map((status, index) => ({
    _id: String(index),
    createdAt: new Date().toISOString(),
    amount: 5,
    status,
    note: null,
    underReview: false,
    link: null,
    reference: `R${index}`,
  }));
  await page.route('**/api/statement/slip', (route) =>
    route.fulfill({ json: { total: listedSlips.length, slips: listedSlips } }),
  );
  const rows = await openWith(
    page,
    slipStatuses.map((status) => ({ status })),
  );
  for (const [index, status] of slipStatuses.entries())
    await expectBadge(rows.nth(index).locator('[data-status]'), status, translate);
  await buttonByName(page, translate('statement:slips.open')).click();
  const statusBadges = dialogByName(page, translate('statement:slips.title')).locator('[data-status]');
  await expect(statusBadges).toHaveCount(slipStatuses.length);
  for (const [index, status] of slipStatuses.entries()) await expectBadge(statusBadges.nth(index), status, translate);
});

test('each of the five movement types has its icon and text, and its amount a sign and the colour of its direction [R-STMT-01]', async ({
  memberPage: page,
}) => {
  const translate = translatorFor('th');
  const rewardEntry = { from: 'BONUS', bonus: { description: '' } };
  const rows = await openWith(page, [
    { statementType: 'deposit', amount: 1_234.5 },
    { statementType: 'bonus', ...rewardEntry, amount: 50 },
    { statementType: 'finish_bonus', ...rewardEntry, amount: 0 },
    { statementType: 'withdraw', from: 'WALLET', to: 'SCB', amount: -250.05 },
    { statementType: 'transfer', from: 'WALLET', to: 'pg', amount: -10 },
  ]);
  await expect(rows).toContainText([
    translate('statement:deposit', { from: 'KBANK' }),
    translate('statement:bonus.bonus'),
    translate('statement:finish_bonus.bonus'),
    translate('statement:withdraw', { to: 'SCB' }),
    translate('statement:transfer', { from: translate('statement:wallet'), to: 'PG SLOT' }),
  ]);
  const iconPaths = await rows.evaluateAll((elements) =>
    elements.map((row) => row.querySelector('svg path')?.getAttribute('d')),
  );
  expect(iconPaths.every(Boolean)).toBe(true);
  expect(new Set(iconPaths).size).toBe(5);
  const amountCell = (index: number) => rows.nth(index).locator('.amount');
  const shownAmounts = ['+1,234.50', '+50.00', '0.00', '−250.05', '−10.00'];
  for (const [index, text] of shownAmounts.entries()) await expect(amountCell(index)).toHaveText(text);
  const [incomingColour, outgoingColour] = [await readColour(amountCell(0)), await readColour(amountCell(3))];
  expect(incomingColour.green).toBeGreaterThan(incomingColour.red);
  expect(outgoingColour.red).toBeGreaterThan(outgoingColour.green);
});

test('a statement row has two lines on a phone: activity and amount, then time and status', async ({
  memberPage: page,
}) => {
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    const rows = await openWith(page, [{ amount: 1_234.5 }, { from: 'SCB', amount: 20 }]);
    for (const row of await rows.all()) {
      const [amount, status, time] = await Promise.all(
        [row.locator('.amount'), row.locator('[data-status]'), row.locator('time')].map((element) =>
          element.boundingBox(),
        ),
      );
      const middleY = (elementBox: typeof amount): number =>
        (elementBox?.y ?? Number.NaN) + (elementBox?.height ?? Number.NaN) / 2;
      expect(Math.abs(middleY(status ?? null) - middleY(time ?? null)), language).toBeLessThan(8);
      expect(middleY(status ?? null) - middleY(amount ?? null), language).toBeLessThan(36);
      expect((await row.boundingBox())?.height, language).toBeLessThan(80);
    }
  }
});

async function expectBelowAmount(row: Locator, text: Locator): Promise<void> {
  const [box, amountBox, rowBox] = await Promise.all(
    [text, row.locator('.amount'), row].map(async (part) => {
      const measured = await part.boundingBox();
      if (!measured) throw new Error('not shown');
      return { ...measured, right: measured.x + measured.width, bottom: measured.y + measured.height };
    }),
  );
  expect(box?.y).toBeGreaterThanOrEqual((amountBox?.bottom ?? Infinity) - 2);
  expect(box?.right).toBeLessThanOrEqual(rowBox?.right ?? 0);
}

test('each statement row shows the balance after it, below the amount, without widening the page, on every phone', async ({
  memberPage: page,
}) => {
  const longName = 'A bank with a rather long name of its own';
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 320, height: 568 },
      { width: 844, height: 390 },
    ]) {
      await page.setViewportSize(viewport);
      const rows = await openWith(page, [
        { amount: 1_234.5, balance: 11_334.5 },
        { from: longName, amount: 20, balance: 10_100 },
        {
          status: 'PROCESSING',
          statementType: 'withdraw',
          from: 'WALLET',
          to: longName,
          amount: -9_000,
          balance: 10_080,
        },
      ]);
      for (const [index, balanceText] of ['฿11,334.50', '฿10,100.00', '฿10,080.00'].entries()) {
        const row = rows.nth(index);
        const label = translatorFor(language)('statement:balance', { amount: balanceText });
        const balance = row.getByText(viewport.width < 640 ? balanceText : label, { exact: true });
        await expect(balance, `${language} ${viewport.width}`).toBeVisible();
        await expectBelowAmount(row, balance);
        await expect(row.getByText(label)).toHaveCount(1);
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
      await page.unroute('**/api/statement');
    }
  }
});

test('dates are DD/MM/YYYY HH:mm:ss in each language, ages range from minutes to years, and non-numbers are "-" [R-FMT-01] [R-STMT-01]', async ({
  memberPage: page,
  wire,
}) => {
  wire.expectFault(/POST \/api\/statement answered 200: statements\.\d+\.amount/);
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    const translate = translatorFor(language);
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    // Each age is some seconds past the start of its unit, so that a slow page load doesn't change the text.
    const entryAges = [
      [5, 'now', 0],
      [10 * MINUTE_S, 'minute', 10],
      [59 * MINUTE_S, 'minute', 59],
      [HOUR_S, 'hour', 1],
      [23 * HOUR_S, 'hour', 23],
      [DAY_S, 'day', 1],
      [29 * DAY_S, 'day', 29],
      [MONTH_S, 'month', 1],
      [YEAR_S - DAY_S, 'month', 12],
      [YEAR_S, 'year', 1],
      [2 * YEAR_S, 'year', 2],
    ] as const;
    const shownAges = entryAges.map(([, timeUnit, count]) => {
      if (timeUnit === 'now') return translate('parts:ago.now');
      const pluralForm = language === 'en' && count === 1 ? 'one' : 'other';
      return translate(`parts:ago.${timeUnit}_${pluralForm}`, { count });
    });
    const invalidNumbers = [null, 'abc', undefined];
    const rows = await openWith(page, [
      ...entryAges.map(([seconds]) => ({ createdAt: new Date(Date.now() - seconds * 1_000 - 1_000).toISOString() })),
      ...invalidNumbers.map((amount) => ({ amount, createdAt: '2024-02-29T17:05:09.000Z' })),
    ]);
    await expect(rows.locator('time'), language).toHaveText([...shownAges, ...invalidNumbers.map(() => /\d/)]);
    for (const [index] of invalidNumbers.entries()) {
      const row = rows.nth(entryAges.length + index);
      await expect(row.locator('.amount')).toHaveText('-');
      await expect(row).toContainText('01/03/2024 00:05:09');
    }
    await page.unroute('**/api/statement');
  }
});

test('a row that arrives while the first page is shown moves no row to the next page or off it, and is shown once [R-STMT-01]', async ({
  memberPage: page,
  member,
}) => {
  const translate = translatorFor('th');
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  const move = (amount: number) => transferMoney(member, 'WALLET', 'pg', amount);
  for (let amount = 1; amount <= 12; amount += 1) await move(amount);
  // An event would load the page again.
  await blockEventSocket(page);
  await page.goto('/user/statement');
  const rows = page.getByRole('main').getByRole('list').getByRole('listitem');
  const pages = page.getByRole('navigation', { name: translate('parts:pagination.label') });
  const expectAmounts = (amounts: readonly number[]) =>
    expect(rows).toHaveText(amounts.map((amount) => new RegExp(`[−+]${amount}\\.00`)));
  const goToNext = () => pages.getByRole('button', { name: translate('parts:pagination.next') }).click();
  await expectAmounts([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  await move(13);
  await goToNext();
  await expectAmounts([2, 1, 500]);
  await page.reload();
  await expectAmounts([13, 12, 11, 10, 9, 8, 7, 6, 5, 4]);
  await goToNext();
  await expectAmounts([3, 2, 1, 500]);
});
