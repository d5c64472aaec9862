import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** One movement in this time, as mice and screens that feel tell it. */
const STEP_MS = 8;

/**
 * Makes movements as hands do: one every 8 ms, whether the page has taken the one before or not.
 * @param send sends step 1 to `steps`
 */
export async function steadily(steps: number, send: (step: number) => Promise<unknown>): Promise<void> {
  const began = performance.now();
  const sent: Promise<unknown>[] = [];
  for (let step = 1; step <= steps; step += 1) {
    sent.push(send(step));
    await setTimeout(Math.max(0, began + step * STEP_MS - performance.now()));
  }
  await Promise.all(sent);
}

/**
 * Swipes sideways and lifts the finger while it moves, so that the content keeps moving.
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
  await steadily(steps, (step) => touch('touchMove', [{ x: x + (distance * step) / steps, y }]));
  await touch('touchEnd', []);
  await session.detach();
}
