import type { ElementHandle, Locator, Page } from '@playwright/test';
import { openWay } from '../../support/deposit.ts';
import { openHome } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { atProfile, profileStep } from '../../support/register.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** A focused element by its text, or its id, and its middle. */
type Place = { name: string; x: number; y: number };

/**
 * Where the focus is after each press of Tab, until it leaves an element or comes back to its cross. Measured together at the
 * end: what loads in between moves a dialog.
 */
async function placesByTab(page: Page, within: Locator): Promise<Place[]> {
  const focused: ElementHandle[] = [];
  const names: string[] = [];
  for (;;) {
    const name = await within.evaluate((element) => {
      const active = document.activeElement;
      // The cross has a picture alone.
      return active && active !== element && element.contains(active) ? active.textContent || active.id : '';
    });
    if (name === '' || names.includes(name)) break;
    names.push(name);
    focused.push(await within.page().evaluateHandle(() => document.activeElement as Element));
    await page.keyboard.press('Tab');
  }
  const middles = await page.evaluate(
    (elements) =>
      elements.map((element) => {
        const { x, y, width, height } = (element as Element).getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
      }),
    focused,
  );
  return middles.map((middle, index) => ({ name: names[index] ?? '', ...middle }));
}

/** Each place is below the one before it, or at its right. */
function expectReadingOrder(places: readonly Place[]): void {
  for (const [index, place] of places.entries()) {
    const before = places[index - 1];
    if (!before) continue;
    const isSameRow = Math.abs(place.y - before.y) < 12;
    expect(isSameRow ? place.x > before.x : place.y > before.y, `${before.name} → ${place.name}`).toBe(true);
  }
}

test('on a desk, Tab follows the page through the menu and through a dialog', async ({ memberPage: page, member }) => {
  await fund(member, 300);
  await page.setViewportSize(DESK);
  await openHome(page);
  const menu = page.getByRole('navigation', { name: say('common:menu.label') });
  await page.getByRole('button', { name: say('common:logout') }).focus();
  await page.keyboard.press('Tab');
  const entries = await placesByTab(page, menu);
  expect(entries.map(({ name }) => name)[0]).toBe(say('common:menu.home'));
  expect(entries).toHaveLength(5);
  expectReadingOrder(entries);

  await button(page, say('home:withdraw')).click();
  const sheet = dialog(page, say('withdraw:title'));
  await expect(sheet.getByLabel(say('withdraw:amount'))).toBeVisible();
  await button(sheet, say('withdraw:all')).focus();
  const inSheet = await placesByTab(page, sheet);
  expect(inSheet.map(({ name }) => name)).toContain(say('withdraw:submit'));
  expectReadingOrder(inSheet);
  await page.keyboard.press('Escape');

  await page.goto('/user/profile');
  await button(page, say('profile:edit')).click();
  const form = dialog(page, say('profile:edit'));
  await form.getByLabel(say('profile:name')).focus();
  const places = await placesByTab(page, form);
  expect(places.map(({ name }) => name)).toEqual(expect.arrayContaining([say('common:save'), say('common:cancel')]));
  expectReadingOrder(places);
});

for (const [name, viewport] of [
  ['a phone', PHONE],
  ['a small phone', { width: 320, height: 568 }],
  ['a desk', DESK],
] as const)
  test(`on ${name} a toast leaves the title and the cross of a dialog free`, async ({ memberPage: page }) => {
    await page.setViewportSize(viewport);
    await openHome(page);
    const sheet = await openWay(page, 'qr', 'ธนาคารกสิกรไทย');
    await page.route('**/api/qrcode/*', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 409, json: { message: 'QR_FAIL' } })
        : route.continue(),
    );
    await sheet.getByLabel(say('deposit:amount')).fill('100');
    await button(sheet, say('deposit:create')).click();
    const toast = page.locator('[data-toast]');
    await expect(toast).toHaveText(say('errors:errorMsg.QR_FAIL'));
    // At rest: it rises when it comes.
    await toast.evaluate((element) => Promise.all(element.getAnimations().map(({ finished }) => finished)));
    const box = await toast.boundingBox();
    for (const part of [
      sheet.getByRole('heading', { level: 2 }),
      sheet.locator('header').getByRole('button', { name: say('common:close') }),
    ]) {
      const other = await part.boundingBox();
      expect(box?.y).toBeGreaterThanOrEqual((other?.y ?? Infinity) + (other?.height ?? 0));
    }
  });

test('above the keyboard of a phone, a field that gets the focus shows its label', async ({ page, address }) => {
  await atProfile(page, address);
  await page.setViewportSize({ width: 390, height: 420 });
  const expectLabels = async (back: boolean): Promise<void> => {
    for (let at = 0; at < 5; at += 1) {
      const hidden = await page.evaluate(() => {
        const field = document.activeElement;
        const label = field instanceof HTMLInputElement ? field.labels?.[0] : undefined;
        if (!label) return undefined;
        const bar = document.querySelector('header')?.getBoundingClientRect().bottom ?? 0;
        return label.getBoundingClientRect().top < bar ? label.textContent : undefined;
      });
      expect(hidden).toBeUndefined();
      await page.keyboard.press(back ? 'Shift+Tab' : 'Tab');
    }
  };
  await page.getByLabel(say('register:name')).focus();
  await expectLabels(false);
  await expectLabels(true);
  await profileStep(page);
  await page.getByLabel(say('register:lastName')).focus();
  await expectLabels(true);
});
