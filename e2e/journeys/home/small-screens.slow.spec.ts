import type { Locator, Page } from '@playwright/test';
import { expectNoHorizontalOverflow } from '../../support/accessible.ts';
import { GAMES } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, gameCard } from '../../support/user-actions.ts';
import { openWheel, spinButton } from '../../support/wheel.ts';

/** Expects that a press in the middle and near the corners of an element reaches it. */
async function expectUncovered(target: Locator): Promise<void> {
  await expect(target).toBeInViewport({ ratio: 1 });
  await expect
    .poll(() =>
      target.evaluate((element) => {
        const { left, right, top, bottom } = element.getBoundingClientRect();
        const points = [0.2, 0.5, 0.8].flatMap((x) => [0.2, 0.5, 0.8].map((y) => [x, y] as const));
        return points.filter(([x, y]) => {
          const hit = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
          return !hit || !(element.contains(hit) || hit.contains(element));
        });
      }),
    )
    .toEqual([]);
}

/** Opens home and a sheet of it. */
async function openSheet(page: Page, opener: Locator, check: (sheet: Locator) => Promise<void>): Promise<void> {
  await openHome(page);
  await opener.press('Enter');
  await check(page.getByRole('dialog'));
}

/** Expects a visible action in a footer of at most a quarter of the sheet, whose buttons have one height. */
async function expectLowFooter(page: Page, action: Locator): Promise<void> {
  await expectFullyVisible(page, { action });
  const { share, heights } = await action.evaluate((button) => ({
    share: (button.parentElement?.offsetHeight ?? 0) / (button.closest('dialog')?.offsetHeight ?? 0),
    heights: Array.from(button.parentElement?.children ?? [], (child) => (child as HTMLElement).offsetHeight),
  }));
  expect(share).toBeLessThanOrEqual(0.25);
  expect(new Set(heights)).toEqual(new Set([48]));
}

for (const [language, width, height] of [
  ['th', 844, 390],
  ['la', 844, 390],
  ['en', 844, 390],
  ['la', 320, 568],
  ['en', 320, 568],
] as const)
  test.describe(`in ${language} at ${width} × ${height}`, () => {
    test.use({ viewport: { width, height } });
    const translate = translatorFor(language);

    test.beforeEach(({ page }) => page.addInitScript((locale) => localStorage.setItem('locale', locale), language));

    test('deposit and withdraw are visible on home without scrolling, below the balance', async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 12_345.5);
      await openHome(page);
      await expect(page.locator('.plaque')).toContainText('12,345.50');
      await expect(page.locator('#home-total')).toBeInViewport({ ratio: 1 });
      await expectUncovered(buttonByName(page, translate('home:deposit')));
      await expectUncovered(buttonByName(page, translate('home:withdraw')));
    });

    if (width > height)
      test('each money dialog shows its field and button without scrolling, above a low footer', async ({
        memberPage: page,
        member,
      }) => {
        test.setTimeout(180_000);
        await fundWallet(member, 1_500);
        await openGameAccount(member, 'pg');
        await transferMoney(member, 'WALLET', 'pg', 98);
        const home = translate('game:takeHome', { amount: '฿98.00' });
        await openSheet(page, buttonByName(page, translate('home:deposit')), async (sheet) => {
          const field = sheet.getByLabel(translate('deposit:advice.howMuch'));
          await field.fill('100');
          const pay = translate('deposit:advice.payAmountByQr', { amount: '฿100.00' });
          await expectFullyVisible(page, { field, pay: sheet.getByRole('button', { name: pay }) });
        });
        await openSheet(page, buttonByName(page, translate('home:withdraw')), async (sheet) => {
          const field = sheet.getByLabel(translate('withdraw:amount'));
          await expectFullyVisible(page, { field: field.locator('..') });
          await expectLowFooter(page, buttonByName(sheet, translate('withdraw:submit')));
          await field.fill('100');
          await buttonByName(sheet, translate('withdraw:submit')).click();
          const review = sheet.getByRole('region', { name: translate('withdraw:review.title') });
          await expectFullyVisible(page, { amount: review.getByRole('heading') });
          await expectLowFooter(page, buttonByName(sheet, translate('withdraw:review.confirm')));
        });
        await openSheet(page, buttonByName(page, translate('home:transfer')), async (sheet) => {
          await expectFullyVisible(page, {
            home: sheet.getByRole('region', { name: translate('transfer:takeHomeTitle') }).getByRole('button'),
            field: sheet.getByLabel(translate('transfer:amount')).locator('..'),
          });
          await expectLowFooter(page, buttonByName(sheet, translate('transfer:submit')));
        });
        await openSheet(page, gameCard(page, GAMES.pg), async (sheet) => {
          await expectFullyVisible(page, {
            home: buttonByName(sheet, home),
            field: sheet.getByLabel(translate('game:amount')).locator('..'),
          });
          await expectLowFooter(page, buttonByName(sheet, translate('game:play')));
        });
      });

    test('the menu covers neither the button of the wheel nor the first rows of the statement', async ({
      memberPage: page,
      member,
    }) => {
      await fundWallet(member, 500);
      await openWheel(page);
      await expectUncovered(spinButton(page, translate));
      const [wheel, menu] = await Promise.all([
        page.locator('canvas').evaluate((canvas) => canvas.parentElement?.getBoundingClientRect().bottom),
        page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
      ]);
      expect(wheel).toBeLessThanOrEqual(menu?.y ?? 0);
      await page.goto('/user/statement');
      await expectUncovered(page.getByRole('heading', { level: 2 }).first());
      const homeButton = page.locator('.menu-home');
      const [button, menuBox] = await Promise.all([
        homeButton.boundingBox(),
        page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
      ]);
      // Inside the menu, but for its rounded edge.
      expect(button?.y).toBeGreaterThanOrEqual((menuBox?.y ?? 0) - 8);
    });
  });

for (const language of ['th', 'la', 'en'] as const)
  test.describe(`in ${language} in landscape`, () => {
    test.use({ viewport: { width: 844, height: 390 } });
    const translate = translatorFor(language);

    test.beforeEach(({ page }) => page.addInitScript((locale) => localStorage.setItem('locale', locale), language));

    test('in landscape a chosen bonus is beside the deposit button, and small dialogs show field and button without scrolling', async ({
      memberPage: page,
    }) => {
      test.setTimeout(180_000);
      await openSheet(page, buttonByName(page, translate('home:deposit')), async (sheet) => {
        await sheet.getByLabel(translate('deposit:advice.howMuch')).fill('100');
        const bonus = sheet.getByRole('button', { name: `${translate('deposit:bonus.label')}: ` });
        await bonus.click();
        await sheet.locator('[value=WELCOME]').check();
        const pay = sheet.getByRole('button', {
          name: translate('deposit:advice.payAmountByQr', { amount: '฿100.00' }),
        });
        await expectFullyVisible(page, { bonus, pay });
        await expectNoHorizontalOverflow(page, 'deposit with a bonus');
      });
      await page.goto('/user/bonus');
      await page
        .getByRole('region', { name: translate('bonus:all') })
        .getByRole('button')
        .first()
        .click();
      const bonusSheet = page.getByRole('dialog');
      await expectFullyVisible(page, { deposit: buttonByName(bonusSheet, translate('bonus:toDeposit')) });
      await expectLowFooter(page, buttonByName(bonusSheet, translate('bonus:receive')));
      await expectNoHorizontalOverflow(page, 'bonus');
      await page.goto('/user/statement');
      await buttonByName(page, translate('statement:export.open')).click();
      const exportSheet = dialogByName(page, translate('money:export.title'));
      const makeCsv = buttonByName(exportSheet, translate('money:export.makeFormat', { format: 'CSV' }));
      await expectFullyVisible(page, {
        from: exportSheet.getByLabel(translate('money:filter.from')),
        until: exportSheet.getByLabel(translate('money:filter.until')),
        makeCsv,
      });
      await makeCsv.click();
      await expectFullyVisible(page, {
        download: exportSheet.getByRole('link', { name: translate('money:export.download', { format: 'CSV' }) }),
      });
      await expectNoHorizontalOverflow(page, 'export');
      await page.keyboard.press('Escape');
      await buttonByName(page, translate('statement:filter.open')).click();
      const filterSheet = dialogByName(page, translate('statement:filter.open'));
      await expectFullyVisible(page, {
        kind: filterSheet.getByLabel(translate('money:filter.type.transfer')),
        game: filterSheet.getByLabel(translate('money:filter.game')),
      });
      await expectLowFooter(page, buttonByName(filterSheet, translate('money:filter.apply')));
      await expectNoHorizontalOverflow(page, 'filter');
      await page.goto('/user/profile');
      await buttonByName(page, translate('profile:edit')).click();
      const profileSheet = dialogByName(page, translate('profile:edit'));
      await expectFullyVisible(page, { name: profileSheet.getByLabel(translate('profile:name')) });
      await expectLowFooter(page, buttonByName(profileSheet, translate('common:save')));
      await profileSheet.getByLabel(translate('profile:bankName')).locator('xpath=..').locator('button').click();
      const banks = dialogByName(page, translate('profile:bankName'));
      await expectFullyVisible(page, {
        search: banks.getByLabel(translate('parts:bankSearch')),
        bank: banks.getByRole('listitem').first().getByRole('button'),
      });
      await expectNoHorizontalOverflow(page, 'banks');
    });
  });

test.describe('the row of games', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('names of two lines in the row of games are not cut off [R-WALLET-04]', async ({ memberPage: page }) => {
    const translate = translatorFor('th');
    await openHome(page);
    const row = page.getByRole('region', { name: translate('lobby:row') });
    await expect(row.getByRole('listitem').first()).toBeVisible();
    const cutNames = await row
      .locator('li button > span:last-child')
      .evaluateAll((names) =>
        names
          .filter((name) => name.scrollWidth > name.clientWidth + 1 || name.scrollHeight > name.clientHeight + 1)
          .map((name) => name.textContent),
      );
    expect(cutNames).toEqual([]);
    const [rowBox, menu] = await Promise.all([
      row.boundingBox(),
      page.getByRole('navigation', { name: translate('common:menu.label') }).boundingBox(),
    ]);
    expect((rowBox?.y ?? 0) + (rowBox?.height ?? 0)).toBeLessThanOrEqual(menu?.y ?? 0);
  });
});
