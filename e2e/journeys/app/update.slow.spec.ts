import type { Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { promotionCodeField } from '../../support/bonus.ts';
import { ChangingWorker } from '../../support/changing-worker.ts';
import { acceptAgreement, expect, test as base, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const HOUR_MS = 3_600_000;

const test = base.extend<{ releases: ChangingWorker }>({
  releases: async ({}, use) => {
    const releases = new ChangingWorker();
    await use(releases);
    releases.stop();
  },
  baseURL: async ({ releases }, use) => use(await releases.start()),
});

test.use(WITH_SERVICE_WORKER);

const updateButton = (page: Page) => buttonByName(page, translate('install:update.action'));

/** Opens a page under the service worker of the first build. */
async function openControlled(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}

/** Counts loads of the page from now on. */
function countLoads(page: Page): () => number {
  let count = 0;
  page.on('load', () => (count += 1));
  return () => count;
}

/** The server has no file of an older build; the page of the next load names those of the present one. */
async function removeUntilReload(page: Page, files: string): Promise<void> {
  let isGone = true;
  page.on('request', (sent) => (isGone &&= !sent.isNavigationRequest()));
  await page.route(files, (route) => (isGone ? route.abort() : route.continue()));
}

/** The member leaves the app and returns. */
const returnToApp = (page: Page): Promise<void> =>
  page.evaluate(() => void document.dispatchEvent(new Event('visibilitychange')));

test('an update is offered above the menu; it reloads once and keeps the typed text [R-WALLET-08]', async ({
  memberPage: page,
  releases,
}) => {
  await openControlled(page, '/user/bonus');
  await expect(promotionCodeField(page)).toBeVisible();
  await expect(updateButton(page)).toBeHidden();
  releases.releaseBuild();
  await page.reload();
  await page.evaluate(() => {
    Object.assign(globalThis, { shift: 0 });
    new PerformanceObserver((entryList) => {
      for (const entry of entryList.getEntries())
        Object.assign(globalThis, { shift: Reflect.get(globalThis, 'shift') + Reflect.get(entry, 'value') });
    }).observe({ type: 'layout-shift' });
  });
  await expect(updateButton(page)).toBeVisible();
  await expectAccessible(page, 'update bar');
  expect(await page.evaluate(() => Reflect.get(globalThis, 'shift'))).toBe(0);
  const menu = await page.getByRole('navigation').boundingBox();
  const bar = await page.getByRole('region', { name: translate('install:update.title') }).boundingBox();
  expect((bar?.y ?? 0) + (bar?.height ?? 0)).toBeLessThanOrEqual(menu?.y ?? 0);

  await promotionCodeField(page).fill('SONGKRAN 25');
  const loads = countLoads(page);
  await updateButton(page).click();
  await expect.poll(loads).toBe(1);
  await expect(promotionCodeField(page)).toHaveValue('SONGKRAN 25');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBe(null);
  await page.waitForTimeout(4_000);
  await expect(updateButton(page)).toBeHidden();
  expect(loads()).toBe(1);
  // Restored once: what the member deletes later stays deleted.
  await promotionCodeField(page).fill('');
  await page.reload();
  await expect(promotionCodeField(page)).toHaveValue('');
});

test('the app checks for a new build when the member returns after an hour, not earlier [R-WALLET-08]', async ({
  memberPage: page,
  releases,
}) => {
  await openControlled(page, '/user/statement');
  await page.waitForTimeout(5_000);
  const requestsAtStart = releases.workerRequests;
  releases.releaseBuild();
  await returnToApp(page);
  await page.waitForTimeout(1_000);
  expect(releases.workerRequests).toBe(requestsAtStart);
  await page.evaluate((ms) => {
    const now = Date.now;
    Date.now = () => now() + ms;
  }, HOUR_MS);
  await returnToApp(page);
  await expect(updateButton(page)).toBeVisible();
  const requestsAfterHour = releases.workerRequests;
  await returnToApp(page);
  await page.waitForTimeout(1_000);
  expect(releases.workerRequests).toBe(requestsAfterHour);
});

test('no update is offered while a request is in flight or a dialog is open [R-WALLET-08]', async ({
  memberPage: page,
  releases,
}) => {
  await openControlled(page, '/user/profile');
  releases.releaseBuild();
  await page.reload();
  await expect(updateButton(page)).toBeVisible();
  await buttonByName(page, translate('profile:changePassword')).click();
  await expect(dialogByName(page, translate('profile:changePassword'))).toBeVisible();
  await expect(updateButton(page)).toHaveCount(0);
  await page.keyboard.press('Escape');
  await expect(updateButton(page)).toBeVisible();
  await page.route('**/api/statement', () => new Promise(() => undefined));
  await page.getByRole('link', { name: translate('common:menu.statement') }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('statement:title'));
  await expect(updateButton(page)).toHaveCount(0);
});

test.describe('after a release without an offer', () => {
  test.use({ serviceWorkers: 'block' });

  test('a page that reloads because a build file is missing keeps the typed values [R-WALLET-08]', async ({
    memberPage: page,
  }) => {
    await page.goto('/user/bonus');
    await promotionCodeField(page).fill('SONGKRAN 25');
    await removeUntilReload(page, '**/assets/statement-page*');
    const loads = countLoads(page);
    await page.getByRole('link', { name: translate('common:menu.statement') }).click();
    await expect.poll(loads).toBe(1);
    await page.goBack();
    await expect(promotionCodeField(page)).toHaveValue('SONGKRAN 25');
  });

  test('passwords are never stored across a reload [R-WALLET-08]', async ({ page, member }) => {
    await page.addInitScript(() => {
      Object.assign(globalThis, { savedAtStart: sessionStorage.getItem('typed-inputs') });
    });
    await page.goto('/login');
    await page.getByLabel(translate('login:phone')).fill(member.phone);
    await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
    await buttonByName(page, translate('common:showPassword')).click();
    await removeUntilReload(page, '**/assets/register-page*');
    const loads = countLoads(page);
    await page.getByRole('link', { name: translate('common:menu.register'), exact: true }).click();
    await expect.poll(loads).toBe(1);
    const saved = await page.evaluate(() => Reflect.get(globalThis, 'savedAtStart'));
    expect(saved).toContain(member.phone);
    expect(saved).not.toContain(member.password);
  });
});

test('on a phone the update offer covers neither the row of games nor the play button, and stays closed until the next start [R-WALLET-08]', async ({
  memberPage: page,
  releases,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await acceptAgreement(page);
  await openControlled(page, '/user/home');
  releases.releaseBuild();
  await page.reload();
  await expect(updateButton(page)).toBeVisible();
  const bar = page.getByRole('region', { name: translate('install:update.title') });
  const row = page.getByRole('region', { name: translate('lobby:row') });
  const [barBox, rowBox, topBar] = await Promise.all([
    bar.boundingBox(),
    row.boundingBox(),
    page.getByRole('banner').boundingBox(),
  ]);
  if (!barBox || !rowBox || !topBar) throw new Error('the bar, the row or the top bar has no box');
  expect(barBox.y + barBox.height).toBeLessThanOrEqual(topBar.y + topBar.height);
  expect(rowBox.y).toBeGreaterThanOrEqual(topBar.y + topBar.height);
  const close = buttonByName(bar, translate('common:close'));
  const closeBox = await close.boundingBox();
  expect(Math.min(closeBox?.width ?? 0, closeBox?.height ?? 0)).toBeGreaterThanOrEqual(44);
  await close.click();
  await expect(bar).toHaveCount(0);
  await page.reload();
  await expect(updateButton(page)).toBeVisible();
});
