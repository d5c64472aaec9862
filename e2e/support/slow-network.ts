import type { Page } from '@playwright/test';

/** A slow phone's line: 1.6 Mbit/s down, 150 ms away. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 };

/** Throttles all requests of a page from now on. */
export async function slowDownNetwork(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_NETWORK);
}
