import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { findAccessibilityFaults } from '../../support/accessible.ts';
import { expect, test } from '../../support/test.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { type Language, translatorFor } from '../../support/translate.ts';

const translate = translatorFor('th');

const rowsOf = (page: Page) => page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem');

test('the statement is filtered by kind, game, state and span, keeps the filter in its address, and is cleared [R-WALLET-06]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 100);
  await transferMoney(member, 'pg', 'WALLET', 40);
  await page.goto('/user/statement');
  await expect(rowsOf(page)).toHaveCount(3);

  await buttonByName(page, translate('statement:filter.open')).click();
  const sheet = dialogByName(page, translate('statement:filter.open'));
  await sheet.getByLabel(translate('money:filter.type.transfer')).check();
  await sheet.getByLabel(translate('money:filter.game')).selectOption({ label: 'PG SLOT' });
  await sheet
    .getByLabel(translate('money:filter.state'))
    .selectOption({ label: translate('money:filter.status.SUCCESS') });
  await buttonByName(sheet, translate('money:filter.today')).click();
  expect(await findAccessibilityFaults(page)).toEqual([]);
  await buttonByName(sheet, translate('money:filter.apply')).click();
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(buttonByName(page, translate('statement:filter.openCount', { count: 4 }))).toBeVisible();
  await expect(page).toHaveURL(/kind=transfer&game=pg&state=SUCCESS&from=/);

  await page.reload();
  await expect(rowsOf(page)).toHaveCount(2);
  await buttonByName(page, translate('statement:filter.openCount', { count: 4 })).click();
  await dialogByName(page, translate('statement:filter.open'))
    .getByLabel(translate('money:filter.state'))
    .selectOption({ label: translate('money:filter.status.FAILED') });
  await buttonByName(dialogByName(page, translate('statement:filter.open')), translate('money:filter.apply')).click();
  await expect(page.getByText(translate('statement:noMatch'))).toBeVisible();
  await buttonByName(page, translate('statement:filter.clear')).click();
  await expect(rowsOf(page)).toHaveCount(3);
  await expect(page).toHaveURL(/\/user\/statement$/);
});

test('movements are grouped by day with what came in and went out, without own transfers, and show the balance after each [R-WALLET-06]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 120.5);
  const { status } = await api('POST', '/api/wallet/withdraw', {
    token: member.token,
    body: { amount: 100 },
    key: crypto.randomUUID(),
  });
  expect(status).toBe(200);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto('/user/statement');
  const day = page.getByRole('heading', { level: 2, name: new RegExp(translate('statement:today')) });
  await expect(day).toContainText('+฿500.00−฿100.00');
  const colourOf = (row: number): Promise<string> =>
    rowsOf(page)
      .nth(row)
      .locator('.amount')
      .first()
      .evaluate((amount) => getComputedStyle(amount).color);
  await expect(rowsOf(page).first()).toContainText(translate('statement:balance', { amount: '฿279.50' }));
  await expect(rowsOf(page).nth(1)).toContainText(translate('statement:balance', { amount: '฿379.50' }));
  await expect(rowsOf(page).nth(1)).toContainText('−120.50');
  await expect(rowsOf(page).nth(2)).toContainText(translate('statement:balance', { amount: '฿500.00' }));
  const [withdrawal, transfer, deposit] = await Promise.all([colourOf(0), colourOf(1), colourOf(2)]);
  expect(new Set([withdrawal, transfer, deposit]).size).toBe(3);
  expect(transfer).toBe(
    await page.getByRole('heading', { level: 1 }).evaluate((title) => getComputedStyle(title).color),
  );
});

test('a movement is found by the beginning of its reference [R-WALLET-06]', async ({ memberPage: page, member }) => {
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 10);
  const found = page.waitForResponse('**/api/statement');
  await page.goto('/user/statement');
  const { statements } = (await (await found).json()) as { statements: { reference: string }[] };
  const field = page.getByLabel(translate('statement:filter.search'));
  await field.fill('abc');
  await field.press('Enter');
  await expect(page.getByText(translate('statement:filter.referenceShort', { count: 4 }))).toBeVisible();
  await field.fill((statements[0]?.reference ?? '').slice(0, 6).toLowerCase());
  await field.press('Enter');
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(rowsOf(page)).toContainText('PG SLOT');
});

const SEARCHES = {
  th: { amounts: ['๑๒๐', '1๒0.00', '฿120'], requested: '๕๐', game: 'พีจี' },
  la: { amounts: ['໑໒໐', '120 ບາດ'], requested: '໕໐', game: 'ພີຈີ' },
  en: { amounts: ['120', '-120.00', '120 baht'], requested: '50', game: 'pg slot' },
} satisfies Record<Language, object>;

for (const language of ['th', 'la', 'en'] satisfies Language[])
  test(`a movement is found by its amount and by the name of its game, as typed in ${language}, and stays found after a reload [R-WALLET-06]`, async ({
    memberPage: page,
    member,
  }) => {
    const translateInto = translatorFor(language);
    await fundWallet(member, 500);
    await openGameAccount(member, 'pg');
    await transferMoney(member, 'WALLET', 'pg', 120);
    await transferMoney(member, 'WALLET', 'pg', 50);
    await page.setViewportSize({ width: 320, height: 568 });
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await page.goto('/user/statement');
    const rows = page.getByRole('list', { name: translateInto('statement:title') }).getByRole('listitem');
    await expect(rows).toHaveCount(3);
    const field = page.getByLabel(translateInto('statement:filter.search'));
    const search = async (text: string): Promise<void> => {
      await field.fill(text);
      await field.press('Enter');
    };
    const { amounts, requested, game } = SEARCHES[language];
    for (const amount of amounts) {
      await search(amount);
      await expect(rows, amount).toHaveCount(1);
      await expect(rows).toContainText('−120.00');
      await search('2');
      await expect(page.getByText(translateInto('statement:noMatch'))).toBeVisible();
    }
    await search(requested);
    await expect(rows).toContainText(['−50.00']);
    await search(game);
    await expect(rows).toHaveCount(2);
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await page.reload();
    await expect(rows).toHaveCount(2);
    await expect(field).toHaveValue(game);
    await buttonByName(page, translateInto('statement:filter.open')).click();
    const sheet = dialogByName(page, translateInto('statement:filter.open'));
    await sheet.getByLabel(translateInto('money:filter.type.deposit')).check();
    await buttonByName(sheet, translateInto('money:filter.apply')).click();
    await expect(page.getByText(translateInto('statement:noMatch'))).toBeVisible();
    await buttonByName(page, translateInto('statement:filter.clear')).click();
    await expect(rows).toHaveCount(3);
    await expect(page).toHaveURL(/\/user\/statement$/);
  });

for (const format of ['PDF', 'CSV']) {
  test(`the statement of a period is saved as ${format} [R-WALLET-06]`, async ({ memberPage: page, member }) => {
    await fundWallet(member, 500);
    await page.goto('/user/statement');
    await buttonByName(page, translate('statement:export.open')).click();
    const sheet = dialogByName(page, translate('money:export.title'));
    expect(await findAccessibilityFaults(page)).toEqual([]);
    await buttonByName(sheet, translate('money:export.makeFormat', { format })).click();
    await expect(sheet.getByText(translate('money:export.ready_other', { count: 1 }))).toBeVisible();
    const saved = page.waitForEvent('download');
    await sheet.getByRole('link', { name: translate('money:export.download') }).click();
    const bytes = await readFile(await (await saved).path());
    if (format === 'PDF') expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    else expect(bytes.toString('utf8')).toContain(',500.00,');
  });
}
