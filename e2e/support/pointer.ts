import { setTimeout } from 'node:timers/promises';
import type { Page } from '@playwright/test';

/** Interval between pointer movements, as reported by mice and touch screens. */
const STEP_MS = 8;

/**
 * Sends pointer movements at a real rate: one every 8 ms, without waiting for the page.
 * @param sendStep sends step 1 to `steps`
 */
export async function sendAtPointerRate(
  stepCount: number,
  sendStep: (stepNumber: number) => Promise<unknown>,
): Promise<void> {
  const startMs = performance.now();
  const pendingSteps: Promise<unknown>[] = [];
  for (let stepNumber = 1; stepNumber <= stepCount; stepNumber += 1) {
    pendingSteps.push(sendStep(stepNumber));
    await setTimeout(Math.max(0, startMs + stepNumber * STEP_MS - performance.now()));
  }
  await Promise.all(pendingSteps);
}

/**
 * Swipes sideways and lifts the finger during the movement, so that the content keeps scrolling.
 * @param distancePx to the right when positive
 */
export async function swipeHorizontally(
  page: Page,
  { x, y }: { x: number; y: number },
  distancePx: number,
  stepCount = 14,
): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const sendTouch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints });
  await sendTouch('touchStart', [{ x, y }]);
  await sendAtPointerRate(stepCount, (stepNumber) =>
    sendTouch('touchMove', [{ x: x + (distancePx * stepNumber) / stepCount, y }]),
  );
  await sendTouch('touchEnd', []);
  await session.detach();
}
