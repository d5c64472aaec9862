import type { Page } from '@playwright/test';
import { promotionCodeField } from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { acceptAgreement, expect, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, totalBalanceText, sendWithdrawal } from '../../support/user-actions.ts';
import { spinButton } from '../../support/wheel.ts';

const translate = translatorFor('th');

test.use(WITH_SERVICE_WORKER);

/** Waits until the service worker controls the page, so that the page opens without a connection. */
const waitForWorkerControl = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      setTimeout(resolve, 1_000);
    });
  });

/** Expectations that show that a screen has loaded its data. */
const SCREEN_CHECKS: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  home: (page) => expect(totalBalanceText(page, translate)).toHaveText('75.00'),
  bonus: (page) => expect(promotionCodeField(page)).toBeVisible(),
  spin: (page) => expect(spinButton(page, translate)).toBeVisible(),
  statement: (page) =>
    expect(page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem')).toHaveCount(1),
};

test.describe('without a connection', () => {
  test(`${Object.keys(SCREEN_CHECKS).join(', ')}: a screen opened offline loads automatically when the connection is back [R-NET-09]`, async ({
    memberPage: page,
    member,
    context,
  }) => {
    test.setTimeout(180_000);
    await fundWallet(member, 75);
    await acceptAgreement(page);
    for (const [screenName, isThere] of Object.entries(SCREEN_CHECKS)) {
      await page.goto(`/user/${screenName}`);
      await isThere(page);
      // One visit under the service worker caches everything that the screen needs.
      await waitForWorkerControl(page);
      await page.reload();
      await isThere(page);
      await context.setOffline(true);
      await page.reload();
      await expect(page.getByText('ออฟไลน์อยู่')).toBeVisible();
      await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
      await expect(page.getByRole('alert')).toHaveCount(0);
      await context.setOffline(false);
      await isThere(page);
      await expect(page.getByText('ออฟไลน์อยู่')).toBeHidden();
      await expect(page.getByRole('alert'), screenName).toHaveCount(0);
    }
  });

  test('a screen that cannot be loaded offline opens automatically when the connection is back [R-NET-09]', async ({
    memberPage: page,
    context,
  }) => {
    await openHome(page);
    await page.route(/\/assets\/statement-page/, (route) => route.abort());
    await context.setOffline(true);
    await page.getByRole('link', { name: translate('common:menu.statement') }).click();
    await expect(page).toHaveURL(/\/user\/statement$/);
    await page.unroute(/\/assets\/statement-page/);
    await context.setOffline(false);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('statement:title'));
  });

  test('offline the statement shows its last page with its age; other pages say that they need a connection [R-NET-09]', async ({
    memberPage: page,
    member,
    context,
  }) => {
    test.setTimeout(180_000);
    await fundWallet(member, 75);
    await acceptAgreement(page);
    const needsConnection = page.getByText(translate('parts:needsConnection'));
    const placeholders = page.locator('main :has(> .animate-shimmer)').filter({ visible: true });
    const entries = page.getByRole('list', { name: translate('statement:title') }).getByRole('listitem');
    for (const path of ['/user/statement', '/user/profile', '/user/bonus', '/user/spin', '/user/home']) {
      await page.goto(path);
      await waitForWorkerControl(page);
      await page.reload();
      await expect(page.locator('[aria-busy=true], main [role=status][aria-label]')).toHaveCount(0);
      await context.setOffline(true);
      await page.reload();
      await expect(needsConnection).toBeVisible();
      await expect(placeholders, path).toHaveCount(0);
      if (path === '/user/statement') {
        await expect(entries).toHaveCount(1);
        await expect(entries).toContainText('+75.00');
        await expect(page.getByText(translate('statement:asOf'))).toContainText(/\d\d\/\d\d\/\d{4} \d\d:\d\d/);
      }
      await context.setOffline(false);
      await expect(needsConnection, path).toBeHidden();
      await expect(page.getByText(translate('statement:asOf'))).toHaveCount(0);
    }
    const readStored = () => page.evaluate(() => localStorage.getItem('last-statement'));
    expect(await readStored()).toContain('75');
    await buttonByName(page, translate('common:logout')).click();
    await expect(page).toHaveURL(/\/login/);
    expect(await readStored()).toBeNull();
  });

  test('the offline banner and the withdrawal agree: nothing was sent, try again when the connection is back', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fundWallet(member, 500);
    await openHome(page);
    await buttonByName(page, translate('home:withdraw')).click();
    const dialog = page.getByRole('dialog', { name: translate('withdraw:title') });
    await dialog.getByLabel(translate('withdraw:amount')).fill('300');
    let requestCount = 0;
    page.on('request', (request) => (requestCount += request.url().includes('/api/wallet/withdraw') ? 1 : 0));
    await context.setOffline(true);
    await sendWithdrawal(dialog, translate);
    const failureDialog = page.getByRole('dialog', { name: translate('withdraw:failureTitle') });
    await expect(failureDialog.getByText(translate('common:offline.now'))).toBeVisible();
    await expect(failureDialog).toContainText(translate('common:offline.unsent'));
    for (const phraseKey of ['common:offline.now', 'common:offline.unsent'])
      expect(translate(phraseKey)).toContain('ลองอีกครั้งเมื่อกลับมาออนไลน์');
    await context.setOffline(false);
    await expect(page.getByText(translate('common:offline.now'))).toHaveCount(0);
    await expect(failureDialog).toBeVisible();
    await buttonByName(failureDialog, translate('common:ok')).click();
    await expect(dialog.getByLabel(translate('withdraw:amount'))).toHaveValue('300');
    expect(requestCount).toBe(0);
  });
});
