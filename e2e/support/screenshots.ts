import type { Page } from '@playwright/test';
import { test } from './test.ts';
import type { ScreenCallback } from './user-actions.ts';

/** Saves a screenshot of each screen to the report, numbered in order. */
export function saveScreenshots(page: Page): ScreenCallback {
  let count = 0;
  return async (name) => {
    count += 1;
    const file = `${String(count).padStart(2, '0')}-${name}.png`;
    await page.screenshot({ path: test.info().outputPath(file), animations: 'disabled' });
  };
}
