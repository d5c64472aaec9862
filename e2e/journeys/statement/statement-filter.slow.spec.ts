import { readFile } from 'node:fs/promises';
import type { Page, Request } from '@playwright/test';
import { findAccessibilityFaults } from '../../support/accessible.ts';
import { api, type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

/** Pause in ms after which a typed search is applied. */
const TYPING_PAUSE_MS = 400;

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
  const filteredNote = page.getByRole('dialog').getByText(translate('money:export.filtered'));
  await buttonByName(page, translate('statement:export.open')).click();
  await expect(filteredNote).toBeVisible();
  await page.keyboard.press('Escape');
  await buttonByName(page, translate('statement:filter.clear')).click();
  await expect(rowsOf(page)).toHaveCount(3);
  await buttonByName(page, translate('statement:export.open')).click();
  await expect(dialogByName(page, translate('money:export.title'))).toBeVisible();
  await expect(filteredNote).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/user\/statement$/);
});

test('movements are grouped by day with sums in and out, without own transfers, and show the balance after each [R-WALLET-06]', async ({
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

/** Opens a statement with three movements. @returns the searches that are requested from then on, in their order */
async function openSearchableStatement(page: Page, member: Member): Promise<string[]> {
  await fundWallet(member, 500);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 120);
  await transferMoney(member, 'WALLET', 'pg', 50);
  await page.clock.install();
  await page.goto('/user/contact');
  await page.getByRole('link', { name: translate('common:menu.statement') }).click();
  await expect(rowsOf(page)).toHaveCount(3);
  const searches: string[] = [];
  page.on('request', (request) => {
    const search = searchOf(request);
    if (search !== undefined) searches.push(search);
  });
  return searches;
}

/** The search of a request for a page of the statement; undefined without one. */
const searchOf = (request: Request): string | undefined =>
  request.url().endsWith('/api/statement') ? (request.postDataJSON() as { search?: string }).search : undefined;

/** Holds the replies to a search until the returned function is called. */
async function holdSearch(page: Page, search: string): Promise<() => void> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/statement', async (route) => {
    if (searchOf(route.request()) === search) await isReleased;
    // A newer search may have cancelled this one.
    await route.fallback().catch(() => undefined);
  });
  return release;
}

/** Pauses the clock of the page. */
const pauseClock = async (page: Page): Promise<void> =>
  page.clock.pauseAt((await page.evaluate(() => Date.now())) + 30_000);

test('movements are found while typing, once per pause; a late reply replaces neither newer rows nor the typed text [R-WALLET-06]', async ({
  memberPage: page,
  member,
}) => {
  const searches = await openSearchableStatement(page, member);
  const field = page.getByLabel(translate('statement:filter.search'));
  const entryCount = await page.evaluate(() => history.length);
  const release = await holdSearch(page, 'pg');
  await pauseClock(page);
  await field.pressSequentially('p');
  await page.clock.runFor(TYPING_PAUSE_MS - 1);
  await field.pressSequentially('g');
  await page.clock.runFor(TYPING_PAUSE_MS - 1);
  expect(searches).toEqual([]);
  await page.clock.resume();
  await expect.poll(() => searches).toEqual(['pg']);
  // The previous rows stay while the reply is late, also while the member types on.
  await expect(rowsOf(page)).toHaveCount(3);
  await field.fill('120 ');
  await expect(rowsOf(page)).toHaveCount(1);
  await expect(page.getByText(translate('statement:filter.found_other', { count: 1 }))).toBeAttached();
  await expect(page).toHaveURL(/\/statement\?ref=120$/);
  await field.pressSequentially('x');
  release();
  await expect(page.getByText(translate('statement:noMatch'))).toBeVisible();
  await expect(field).toHaveValue('120 x');
  // Neither Enter nor clearing waits for a pause.
  await pauseClock(page);
  await field.fill('50');
  await field.press('Enter');
  await expect.poll(() => searches).toContain('50');
  await field.fill('');
  await expect(page).toHaveURL(/\/statement$/);
  await page.clock.resume();
  await expect(rowsOf(page)).toHaveCount(3);
  expect(searches).toEqual(['pg', '120', '120 x', '50']);
  expect(await page.evaluate(() => history.length)).toBe(entryCount);
  await page.goBack();
  await expect(page).toHaveURL(/\/user\/contact$/);
});

test('a failed search says so in place of the previous rows, and Enter repeats it [R-WALLET-06]', async ({
  memberPage: page,
  member,
}) => {
  await openSearchableStatement(page, member);
  let isFailing = true;
  await page.route('**/api/statement', (route) =>
    isFailing ? route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }) : route.fallback(),
  );
  const field = page.getByLabel(translate('statement:filter.search'));
  await field.fill('120');
  await expect(page.getByText(translate('common:errorState.title'))).toBeVisible();
  await expect(rowsOf(page)).toHaveCount(0);
  isFailing = false;
  await field.press('Enter');
  await expect(rowsOf(page)).toHaveCount(1);
});

test("a search runs during an input method's composition without ending it [R-WALLET-06]", async ({
  memberPage: page,
  member,
}) => {
  const searches = await openSearchableStatement(page, member);
  const field = page.getByLabel(translate('statement:filter.search'));
  const keyboard = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  await field.focus();
  await compose('พีจี');
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(field).toBeFocused();
  await compose('พีจีก');
  await compose('พีจี');
  await keyboard.send('Input.insertText', { text: 'พีจี' });
  await pauseClock(page);
  await field.pressSequentially(' 5');
  await field.press('Backspace');
  await page.clock.resume();
  await expect(field).toHaveValue('พีจี ');
  await field.press('Enter');
  await expect(rowsOf(page)).toHaveCount(2);
  expect(searches.filter((search) => search !== 'พีจีก')).toEqual(['พีจี']);
});

test('a typed search is kept when a filter or dialog opens before the pause, and discarded when the page is left [R-WALLET-06]', async ({
  memberPage: page,
  member,
}) => {
  const searches = await openSearchableStatement(page, member);
  const field = page.getByLabel(translate('statement:filter.search'));
  await pauseClock(page);
  await field.fill('120');
  await rowsOf(page).first().getByRole('button').click();
  const timeline = page.getByRole('dialog');
  await expect(timeline).toBeVisible();
  await page.clock.resume();
  await expect(page.locator('main li')).toHaveCount(1);
  await page.goBack();
  await expect(timeline).toHaveCount(0);
  await expect(page).toHaveURL(/\/statement\?ref=120$/);

  await pauseClock(page);
  await field.fill('50');
  await buttonByName(page, translate('statement:filter.open')).click();
  const sheet = dialogByName(page, translate('statement:filter.open'));
  await sheet.getByLabel(translate('money:filter.type.transfer')).check();
  await buttonByName(sheet, translate('money:filter.apply')).click();
  await page.clock.resume();
  await expect(rowsOf(page)).toContainText(['−50.00']);
  await expect(page).toHaveURL(/\?kind=transfer&ref=50$/);
  await expect(field).toHaveValue('50');

  await pauseClock(page);
  await field.fill('500');
  await page.getByRole('link', { name: translate('common:menu.profile') }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('profile:title'));
  await page.clock.runFor(TYPING_PAUSE_MS);
  await page.clock.resume();
  await expect(page).toHaveURL(/\/user\/profile$/);
  await page.goBack();
  await expect(field).toHaveValue('50');
  await expect(rowsOf(page)).toContainText(['−50.00']);
  expect(searches).not.toContain('500');
  await page.goBack();
  await expect(page).toHaveURL(/\/user\/contact$/);
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
    await sheet.getByRole('link', { name: translate('money:export.download', { format }) }).click();
    const bytes = await readFile(await (await saved).path());
    if (format === 'PDF') expect(bytes.subarray(0, 5).toString('latin1')).toBe('%PDF-');
    else expect(bytes.toString('utf8')).toContain(',500.00,');
  });
}
