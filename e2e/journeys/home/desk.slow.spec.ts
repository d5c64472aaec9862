import type { ElementHandle, Locator, Page } from '@playwright/test';
import { openDepositMethod } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { openProfileStep, completeProfileStep } from '../../support/register.ts';
import { expectFullyVisible } from '../../support/screen-fit.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const DESKTOP_SIZE = { width: 1280, height: 800 };
const PHONE_SIZE = { width: 390, height: 844 };

/** A focused element by its text, or its id, and its middle. */
type FocusPosition = { name: string; x: number; y: number };

/**
 * Focus positions after each press of Tab, until the focus leaves the element or returns to its close button. All are
 * measured at the end, because loading content moves a dialog.
 */
async function readFocusOrder(page: Page, container: Locator): Promise<FocusPosition[]> {
  const focusedElements: ElementHandle[] = [];
  const names: string[] = [];
  for (;;) {
    const name = await container.evaluate((element) => {
      const active = document.activeElement;
      // The close button has only an icon.
      return active && active !== element && element.contains(active) ? active.textContent || active.id : '';
    });
    if (name === '' || names.includes(name)) break;
    names.push(name);
    focusedElements.push(await container.page().evaluateHandle(() => document.activeElement as Element));
    await page.keyboard.press('Tab');
  }
  const middlePoints = await page.evaluate(
    (elements) =>
      elements.map((element) => {
        const { x, y, width, height } = (element as Element).getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }),
    focusedElements,
  );
  return middlePoints.map((middlePoint, index) => ({ name: names[index] ?? '', ...middlePoint }));
}

/** Expects each position below or to the right of the previous one. */
function expectReadingOrder(positions: readonly FocusPosition[]): void {
  for (const [index, position] of positions.entries()) {
    const before = positions[index - 1];
    if (!before) continue;
    const isSameRow = Math.abs(position.y - before.y) < 12;
    expect(isSameRow ? position.x > before.x : position.y > before.y, `${before.name} → ${position.name}`).toBe(true);
  }
}

test('on a desktop, Tab moves through the page in order, also through the menu and a dialog', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 300);
  await page.setViewportSize(DESKTOP_SIZE);
  await openHome(page);
  const menu = page.getByRole('navigation', { name: translate('common:menu.label') });
  await page.getByRole('button', { name: translate('common:logout') }).focus();
  await page.keyboard.press('Tab');
  const entries = await readFocusOrder(page, menu);
  expect(entries.map(({ name }) => name)[0]).toBe(translate('common:menu.home'));
  expect(entries).toHaveLength(5);
  expectReadingOrder(entries);

  await buttonByName(page, translate('home:withdraw')).click();
  const sheet = dialogByName(page, translate('withdraw:title'));
  await expect(sheet.getByLabel(translate('withdraw:amount'))).toBeVisible();
  await buttonByName(sheet, translate('withdraw:all')).focus();
  const sheetOrder = await readFocusOrder(page, sheet);
  expect(sheetOrder.map(({ name }) => name)).toContain(translate('withdraw:submit'));
  expectReadingOrder(sheetOrder);
  await page.keyboard.press('Escape');

  await page.goto('/user/profile');
  await buttonByName(page, translate('profile:edit')).click();
  const form = dialogByName(page, translate('profile:edit'));
  await form.getByLabel(translate('profile:name')).focus();
  const positions = await readFocusOrder(page, form);
  expect(positions.map(({ name }) => name)).toEqual(
    expect.arrayContaining([translate('common:save'), translate('common:cancel')]),
  );
  expectReadingOrder(positions);
});

for (const [name, viewport] of [
  ['a phone', PHONE_SIZE],
  ['a small phone', { width: 320, height: 568 }],
  ['a desk', DESKTOP_SIZE],
] as const)
  test(`on ${name} a toast covers neither the close button nor the first field of a dialog`, async ({
    memberPage: page,
  }) => {
    await page.setViewportSize(viewport);
    await openHome(page);
    const sheet = await openDepositMethod(page, 'qr', 'ธนาคารกสิกรไทย');
    await page.route('**/api/qrcode/*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { message: 'QR_FAIL' } })
        : route.continue(),
    );
    await sheet.getByLabel(translate('deposit:amount')).fill('100');
    await buttonByName(sheet, translate('deposit:create')).click();
    const toastMessage = page.locator('[data-toast]');
    await expect(toastMessage).toHaveText(translate('errors:errorMsg.QR_FAIL'));
    // After the toast's entry animation.
    await toastMessage.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
    await expectFullyVisible(page, {
      close: sheet.locator('header').getByRole('button', { name: translate('common:close') }),
      field: sheet.getByLabel(translate('deposit:amount')),
    });
  });

test("above a phone's keyboard, a focused field is visible with its label", async ({ page, address }) => {
  await openProfileStep(page, address);
  await page.setViewportSize({ width: 390, height: 420 });
  const expectLabels = async (hasBackLabel: boolean): Promise<void> => {
    for (let tabIndex = 0; tabIndex < 5; tabIndex += 1) {
      const hiddenElements = await page.evaluate(() => {
        const field = document.activeElement;
        const label = field instanceof HTMLInputElement ? field.labels?.[0] : undefined;
        if (!label) return undefined;
        const headerBottom = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
        return label.getBoundingClientRect().top < headerBottom ? label.textContent : undefined;
      });
      expect(hiddenElements).toBeUndefined();
      await page.keyboard.press(hasBackLabel ? 'Shift+Tab' : 'Tab');
    }
  };
  await page.getByLabel(translate('register:name')).focus();
  await expectLabels(false);
  await expectLabels(true);
  await completeProfileStep(page);
  await page.getByLabel(translate('register:lastName')).focus();
  await expectLabels(true);
});
