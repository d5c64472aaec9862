import type { Page } from '@playwright/test';

/**
 * Lets so many ms pass on a page whose clock is stopped, once the page has dealt with what it shows: a time that begins when
 * something is shown begins in a task after that, which would else come when the time has passed already.
 */
export async function lapse(page: Page, ms: number): Promise<void> {
  await page.evaluate(async () => {
    // Tasks of messages run in their order, and React's are such: those that it has set itself run before these return.
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
