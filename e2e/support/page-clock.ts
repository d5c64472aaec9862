import type { Page } from '@playwright/test';

/**
 * Advances the paused clock of a page, once the page has processed its pending renders: a timer that starts after
 * rendering would otherwise start too late.
 */
export async function advancePageClock(page: Page, ms: number): Promise<void> {
  await page.evaluate(async () => {
    // Message tasks run in order, and React schedules its work with them: its pending tasks run before these.
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = resolve;
        port2.postMessage(undefined);
      });
    }
  });
  await page.clock.runFor(ms);
}
