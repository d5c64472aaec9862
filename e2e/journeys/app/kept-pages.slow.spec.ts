import type { Page } from '@playwright/test';
import { acceptAgreement, expect, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const STORED_PATH = '/user/statement';
const CACHE_NAME = 'krapao-pages';

test.use(WITH_SERVICE_WORKER);

/** Opens the address until the service worker has served the page and cached it. */
async function openUntilKept(page: Page): Promise<void> {
  await acceptAgreement(page);
  await page.goto(STORED_PATH);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.goto(STORED_PATH);
  await expect.poll(() => readCachedPage(page)).toContain('<html');
}

const readCachedPage = (page: Page): Promise<string> =>
  page.evaluate(
    async ([path, name]) => (await (await caches.match(path, { cacheName: name, ignoreVary: true }))?.text()) ?? '',
    [STORED_PATH, CACHE_NAME] as const,
  );

/** Marks the cached page, to distinguish it from the server's page. */
const markStoredPage = (page: Page): Promise<void> =>
  page.evaluate(
    async ([path, name]) => {
      const pageCache = await caches.open(name);
      const storedPage = await pageCache.match(path, { ignoreVary: true });
      const text = (await storedPage?.text()) ?? '';
      await pageCache.put(
        path,
        new Response(text.replace('<html', '<html data-kept'), { headers: storedPage?.headers ?? {} }),
      );
    },
    [STORED_PATH, CACHE_NAME] as const,
  );

const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => 'kept' in document.documentElement.dataset);

test('a page opened before is served from the cache, and its refreshed version the next time', async ({
  memberPage: page,
}) => {
  await openUntilKept(page);
  await markStoredPage(page);
  await page.goto(STORED_PATH);
  expect(await isMarked(page)).toBe(true);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor('th')('statement:title'));
  await expect.poll(() => readCachedPage(page)).not.toContain('data-kept');
  await page.goto(STORED_PATH);
  expect(await isMarked(page)).toBe(false);
});

test('a reload requests the page from the server', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await markStoredPage(page);
  await page.reload();
  expect(await isMarked(page)).toBe(false);
});

test('a change of language or session deletes the cached pages of the previous one', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await page.getByRole('banner').getByRole('combobox').selectOption('la');
  await expect.poll(() => readCachedPage(page)).toBe('');
  await page.goto(STORED_PATH);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor('la')('statement:title'));
  await expect.poll(() => readCachedPage(page)).toContain('lang="lo"');
  await page.getByRole('button', { name: translatorFor('la')('common:logout') }).click();
  await expect(page).toHaveURL(/\/login/);
  await expect.poll(() => readCachedPage(page)).toBe('');
});

test('a build file missing on the server removes the cached pages that reference it', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await page.evaluate(() => fetch('/assets/gone-00000000.js'));
  await expect.poll(() => readCachedPage(page)).toBe('');
});
