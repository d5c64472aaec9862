import type { Locator, Page } from '@playwright/test';
import { statementEntry } from '../../support/statement-entry.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { type Language, speaking } from '../../support/words.ts';

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;
const MONTH_S = 2_592_000;
const YEAR_S = 31_536_000;

async function openWith(page: Page, changes: readonly object[]): Promise<Locator> {
  const statements = changes.map((change, index) => statementEntry(index, change));
  await page.route('**/api/statement', (route) => route.fulfill({ json: { total: statements.length, statements } }));
  await page.goto('/user/statement');
  const rows = page.getByRole('main').getByRole('list').getByRole('listitem');
  await expect(rows).toHaveCount(statements.length);
  return rows;
}

/** The colour of a text as red, green and blue, whichever way the style writes it. */
const colourOf = (text: Locator) =>
  text.evaluate((element) => {
    const pen = document.createElement('canvas').getContext('2d');
    if (!pen) throw new Error('no canvas');
    pen.fillStyle = getComputedStyle(element).color;
    pen.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
    return { red, green, blue };
  });

async function expectBadge(badge: Locator, status: string, say: (key: string) => string): Promise<void> {
  const known = status === 'SUCCESS' || status === 'FAILED' ? status : 'PROCESSING';
  await expect(badge, status).toHaveText(say(`parts:status.${known}`));
  const { red, green, blue } = await colourOf(badge);
  if (known === 'SUCCESS') expect(green, 'green').toBeGreaterThan(Math.max(red, blue) + 20);
  if (known === 'FAILED') expect(red, 'red').toBeGreaterThan(Math.max(green, blue) + 60);
  // Amber: red and green far above blue.
  if (known === 'PROCESSING') expect(Math.min(red, green), 'amber').toBeGreaterThan(blue + 60);
}

test('SUCCESS is green, FAILED red, anything else in progress and amber, for movements and slips [R-STMT-01] [R-STMT-03]', async ({
  memberPage: page,
  wire,
}) => {
  // A status that the app doesn't know yet.
  wire.expectFault(/POST \/api\/statement answered 200: statements\.3\.status/);
  wire.expectFault(/POST \/api\/statement\/slip answered 200: slips\.3\.status/);
  const say = speaking('th');
  const statuses = ['SUCCESS', 'FAILED', 'PROCESSING', 'PENDING', 'A_NEW_ONE'];
  const slips = statuses.map((status, index) => ({
    _id: String(index),
    createdAt: new Date().toISOString(),
    amount: 5,
    status,
    note: null,
    underReview: false,
    link: null,
    reference: `R${index}`,
  }));
  await page.route('**/api/statement/slip', (route) => route.fulfill({ json: { total: slips.length, slips } }));
  const rows = await openWith(
    page,
    statuses.map((status) => ({ status })),
  );
  for (const [index, status] of statuses.entries())
    await expectBadge(rows.nth(index).locator('[data-status]'), status, say);
  await button(page, say('statement:slips.open')).click();
  const badges = dialog(page, say('statement:slips.title')).locator('[data-status]');
  await expect(badges).toHaveCount(statuses.length);
  for (const [index, status] of statuses.entries()) await expectBadge(badges.nth(index), status, say);
});

test('each of the five types has its icon and words, its amount a sign and the colour of its direction [R-STMT-01]', async ({
  memberPage: page,
}) => {
  const say = speaking('th');
  const reward = { from: 'BONUS', bonus: { description: '' } };
  const rows = await openWith(page, [
    { statementType: 'deposit', amount: 1_234.5 },
    { statementType: 'bonus', ...reward, amount: 50 },
    { statementType: 'finish_bonus', ...reward, amount: 0 },
    { statementType: 'withdraw', from: 'WALLET', to: 'SCB', amount: -250.05 },
    { statementType: 'transfer', from: 'WALLET', to: 'pg', amount: -10 },
  ]);
  await expect(rows).toContainText([
    say('statement:deposit', { from: 'KBANK' }),
    say('statement:bonus.bonus'),
    say('statement:finish_bonus.bonus'),
    say('statement:withdraw', { to: 'SCB' }),
    say('statement:transfer', { from: say('statement:wallet'), to: 'PG SLOT' }),
  ]);
  const icons = await rows.evaluateAll((all) => all.map((row) => row.querySelector('svg path')?.getAttribute('d')));
  expect(icons.every(Boolean)).toBe(true);
  expect(new Set(icons).size).toBe(5);
  const amount = (index: number) => rows.nth(index).locator('.amount');
  const shown = ['+1,234.50', '+50.00', '0.00', '−250.05', '−10.00'];
  for (const [index, text] of shown.entries()) await expect(amount(index)).toHaveText(text);
  const [incoming, outgoing] = [await colourOf(amount(0)), await colourOf(amount(3))];
  expect(incoming.green).toBeGreaterThan(incoming.red);
  expect(outgoing.red).toBeGreaterThan(outgoing.green);
});

test('a row takes two lines on a phone: activity and amount, then time and status', async ({ memberPage: page }) => {
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
    const rows = await openWith(page, [{ amount: 1_234.5 }, { from: 'SCB', amount: 20 }]);
    for (const row of await rows.all()) {
      const [amount, status, time] = await Promise.all(
        [row.locator('.amount'), row.locator('[data-status]'), row.locator('time')].map((part) => part.boundingBox()),
      );
      const middle = (box: typeof amount): number => (box?.y ?? Number.NaN) + (box?.height ?? Number.NaN) / 2;
      expect(Math.abs(middle(status ?? null) - middle(time ?? null)), language).toBeLessThan(8);
      expect(middle(status ?? null) - middle(amount ?? null), language).toBeLessThan(36);
      expect((await row.boundingBox())?.height, language).toBeLessThan(80);
    }
  }
});

test('in Thai, Lao and English dates are DD/MM/YYYY HH:mm:ss, ages count in minutes to years, what is not a number is "-" [R-FMT-01] [R-STMT-01]', async ({
  memberPage: page,
  wire,
}) => {
  wire.expectFault(/POST \/api\/statement answered 200: statements\.\d+\.amount/);
  for (const language of ['th', 'la', 'en'] satisfies Language[]) {
    const say = speaking(language);
    await page.evaluate((chosen) => localStorage.setItem('locale', chosen), language);
    // Each some seconds past the unit begins: a page that comes late still shows the same.
    const ages = [
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
    const agesShown = ages.map(([, unit, count]) => {
      if (unit === 'now') return say('parts:ago.now');
      const plural = language === 'en' && count === 1 ? 'one' : 'other';
      return say(`parts:ago.${unit}_${plural}`, { count });
    });
    const noNumbers = [null, 'abc', undefined];
    const rows = await openWith(page, [
      ...ages.map(([seconds]) => ({ createdAt: new Date(Date.now() - seconds * 1_000 - 1_000).toISOString() })),
      ...noNumbers.map((amount) => ({ amount, createdAt: '2024-02-29T17:05:09.000Z' })),
    ]);
    await expect(rows.locator('time'), language).toHaveText([...agesShown, ...noNumbers.map(() => /\d/)]);
    for (const [index] of noNumbers.entries()) {
      const row = rows.nth(ages.length + index);
      await expect(row.locator('.amount')).toHaveText('-');
      await expect(row).toContainText('01/03/2024 00:05:09');
    }
    await page.unroute('**/api/statement');
  }
});
