import type { Page } from '@playwright/test';
import { acceptAgreement, expect, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const PATH = '/user/statement';
const CACHE = 'krapao-pages';

test.use(WITH_SERVICE_WORKER);

/** Opens the address until the service worker has answered for it and keeps its page. */
async function openUntilKept(page: Page): Promise<void> {
  await acceptAgreement(page);
  await page.goto(PATH);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.goto(PATH);
  await expect.poll(() => keptPage(page)).toContain('<html');
}

const keptPage = (page: Page): Promise<string> =>
  page.evaluate(
    async ([path, name]) => (await (await caches.match(path, { cacheName: name, ignoreVary: true }))?.text()) ?? '',
    [PATH, CACHE] as const,
  );

/** Marks the page in the cache: the page of the server has no mark. */
const markKept = (page: Page): Promise<void> =>
  page.evaluate(
    async ([path, name]) => {
      const pages = await caches.open(name);
      const kept = await pages.match(path, { ignoreVary: true });
      const text = (await kept?.text()) ?? '';
      await pages.put(path, new Response(text.replace('<html', '<html data-kept'), { headers: kept?.headers ?? {} }));
    },
    [PATH, CACHE] as const,
  );

const isMarked = (page: Page): Promise<boolean> => page.evaluate(() => 'kept' in document.documentElement.dataset);

test('a page that was opened before comes from the cache, and that of the server the next time', async ({
  memberPage: page,
}) => {
  await openUntilKept(page);
  await markKept(page);
  await page.goto(PATH);
  expect(await isMarked(page)).toBe(true);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking('th')('statement:title'));
  await expect.poll(() => keptPage(page)).not.toContain('data-kept');
  await page.goto(PATH);
  expect(await isMarked(page)).toBe(false);
});

test('a reload asks the server for the page', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await markKept(page);
  await page.reload();
  expect(await isMarked(page)).toBe(false);
});

test('no kept page is left of another language or session', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await page.getByRole('banner').getByRole('combobox').selectOption('la');
  await expect.poll(() => keptPage(page)).toBe('');
  await page.goto(PATH);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking('la')('statement:title'));
  await expect.poll(() => keptPage(page)).toContain('lang="lo"');
  await page.getByRole('button', { name: speaking('la')('common:logout') }).click();
  await expect(page).toHaveURL(/\/login/);
  await expect.poll(() => keptPage(page)).toBe('');
});

test('a file that the server no longer has drops the pages that name it', async ({ memberPage: page }) => {
  await openUntilKept(page);
  await page.evaluate(() => fetch('/assets/gone-00000000.js'));
  await expect.poll(() => keptPage(page)).toBe('');
});
