import type { Page } from '@playwright/test';

/** One movement in this time, as screens that feel tell it. */
const STEP_MS = 8;

/**
 * A finger that swipes sideways and lets go while it moves, so that what it moved goes on.
 * @param distance pixels, to the right when positive
 */
export async function swipe(
  page: Page,
  { x, y }: { x: number; y: number },
  distance: number,
  steps = 14,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  await touch('touchStart', [{ x, y }]);
  for (let step = 1; step <= steps; step += 1) {
    await touch('touchMove', [{ x: x + (distance * step) / steps, y }]);
    await page.waitForTimeout(STEP_MS);
  }
  await touch('touchEnd', []);
  await session.detach();
}
