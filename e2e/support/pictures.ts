import type { Page } from '@playwright/test';
import { test } from './test.ts';
import type { OnScreen } from './walk.ts';

/** Keeps a picture of each screen beside the report, numbered in the order of the walk. */
export function pictures(page: Page): OnScreen {
  let count = 0;
  return async (name) => {
    count += 1;
    const file = `${String(count).padStart(2, '0')}-${name}.png`;
    await page.screenshot({ path: test.info().outputPath(file), animations: 'disabled' });
  };
}
