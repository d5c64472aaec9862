import type { Locator, Page } from '@playwright/test';
import { readQr } from './read-qr.ts';
import { expect } from './test.ts';
import { button } from './walk.ts';
import type { Say } from './words.ts';

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
  const places = [0.02, 0.5, 0.98];
  return places.every((x) =>
    places.every((y) => {
      const found = document.elementFromPoint(left + x * width, top + y * height);
      return found !== null && (element.contains(found) || found.contains(element));
    }),
  );
}

/** Waits until all of each element is on the screen as it is, unscrolled and uncovered. */
export async function expectSeen(page: Page, elements: Readonly<Record<string, Locator>>): Promise<void> {
  const size = JSON.stringify(page.viewportSize());
  for (const [name, element] of Object.entries(elements))
    await expect.poll(() => element.evaluate(isSeen), { message: `${name} is seen at ${size}` }).toBe(true);
}

const QR_PX_MIN = 160;

/**
 * On each small screen the QR of a deposit, its amount, the time left and all actions are seen without scrolling, and a
 * picture of the screen can be scanned.
 * @param amount with its sign, as on the screen
 */
export async function expectQrFits(page: Page, sheet: Locator, say: Say, amount: string): Promise<void> {
  const qr = sheet.getByRole('img', { name: say('deposit:qrOf', { amount }) });
  for (const size of SMALL_SCREENS) {
    await page.setViewportSize(size);
    await expectSeen(page, {
      QR: qr,
      amount: sheet.getByText(amount, { exact: true }),
      'time left': sheet.getByText(/^\d+:\d\d$/),
      save: button(sheet, say('deposit:saveImage')),
      paid: button(sheet, say('deposit:done')),
      cancel: button(sheet, say('deposit:cancel')),
    });
    expect(await qr.evaluate((element) => element.clientWidth)).toBeGreaterThanOrEqual(QR_PX_MIN);
    const payload = await readQr(await page.screenshot({ animations: 'disabled' }));
    expect(payload, `scanned at ${size.width} × ${size.height}`).toBeTruthy();
  }
}
