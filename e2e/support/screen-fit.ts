import type { Locator, Page } from '@playwright/test';
import { readQr } from './read-qr.ts';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';
import { buttonByName } from './user-actions.ts';

/** Phones of today and small ones, upright and on their side. */
export const SMALL_SCREENS = [
  { width: 320, height: 568 },
  { width: 360, height: 640 },
  { width: 390, height: 844 },
  { width: 844, height: 390 },
] as const;

/** Whether an element is completely on the screen and uncovered, tested at nine points. Runs in the page. */
function isSeen(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  if (width === 0 || left < 0 || top < 0 || left + width > innerWidth || top + height > innerHeight) return false;
  const testFractions = [0.02, 0.5, 0.98];
  return testFractions.every((x) =>
    testFractions.every((y) => {
      const topElement = document.elementFromPoint(left + x * width, top + y * height);
      return topElement !== null && (element.contains(topElement) || topElement.contains(element));
    }),
  );
}

/** Waits until each element is completely on the unscrolled screen and uncovered. */
export async function expectFullyVisible(page: Page, elements: Readonly<Record<string, Locator>>): Promise<void> {
  const size = JSON.stringify(page.viewportSize());
  for (const [name, element] of Object.entries(elements))
    await expect.poll(() => element.evaluate(isSeen), { message: `${name} is seen at ${size}` }).toBe(true);
}

const QR_PX_MIN = 160;

/**
 * Expects on each small screen that the QR of a deposit, its amount, the remaining time and all actions are visible
 * without scrolling, and that a screenshot can be scanned.
 * @param amount with its sign, as displayed
 */
export async function expectQrFitsSmallScreens(
  page: Page,
  sheet: Locator,
  translate: Translate,
  amount: string,
): Promise<void> {
  const qr = sheet.getByRole('img', { name: translate('deposit:qrOf', { amount }) });
  for (const size of SMALL_SCREENS) {
    await page.setViewportSize(size);
    await expectFullyVisible(page, {
      QR: qr,
      amount: sheet.getByText(amount, { exact: true }),
      'time left': sheet.getByText(/^\d+:\d\d$/),
      save: buttonByName(sheet, translate('deposit:saveImage')),
      paid: buttonByName(sheet, translate('deposit:done')),
      cancel: buttonByName(sheet, translate('deposit:cancel')),
    });
    expect(await qr.evaluate((element) => element.clientWidth)).toBeGreaterThanOrEqual(QR_PX_MIN);
    const payload = await readQr(await page.screenshot({ animations: 'disabled' }));
    expect(payload, `scanned at ${size.width} × ${size.height}`).toBeTruthy();
  }
}
