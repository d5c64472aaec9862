import type { Page } from '@playwright/test';

/** A slow phone's line: 1.6 Mbit/s down, 150 ms away. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };

/** Makes everything that a page fetches come over a slow line, from here on. */
export async function overSlowLine(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW);
}
