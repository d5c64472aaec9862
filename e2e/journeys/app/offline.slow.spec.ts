import type { Page } from '@playwright/test';
import { codeField } from '../../support/bonus.ts';
import { openHome } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { acceptAgreement, expect, test, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { button, total } from '../../support/walk.ts';
import { spinButton } from '../../support/wheel.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.use(WITH_SERVICE_WORKER);

/** Until the service worker answers for the page, so that it opens without a connection. */
const workerControls = (page: Page): Promise<unknown> =>
  page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    if (navigator.serviceWorker.controller) return;
    await new Promise((resolve) => {
      navigator.serviceWorker.addEventListener('controllerchange', resolve, { once: true });
      setTimeout(resolve, 1_000);
    });
  });

/** What shows that a screen has what it asks the server for. */
const screens: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  home: (page) => expect(total(page, say)).toHaveText('75.00'),
  bonus: (page) => expect(codeField(page)).toBeVisible(),
  spin: (page) => expect(spinButton(page, say)).toBeVisible(),
  statement: (page) =>
    expect(page.getByRole('list', { name: say('statement:title') }).getByRole('listitem')).toHaveCount(1),
};

test.describe('without a connection', () => {
  test(`${Object.keys(screens).join(', ')}: a screen that was opened offline fills by itself when the connection is back [R-NET-09]`, async ({
    memberPage: page,
    member,
    context,
  }) => {
    test.setTimeout(180_000);
    await fund(member, 75);
    await acceptAgreement(page);
    for (const [screen, isThere] of Object.entries(screens)) {
      await page.goto(`/user/${screen}`);
      await isThere(page);
      // Once under the service worker: from then on it has all that the screen is made of.
      await workerControls(page);
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
      await expect(page.getByRole('alert'), screen).toHaveCount(0);
    }
  });

  test('a screen that can’t be loaded offline comes by itself when the connection is back [R-NET-09]', async ({
    memberPage: page,
    context,
  }) => {
    await openHome(page);
    await page.route(/\/assets\/statement-page/, (route) => route.abort());
    await context.setOffline(true);
    await page.getByRole('link', { name: say('common:menu.statement') }).click();
    await expect(page).toHaveURL(/\/user\/statement$/);
    await page.unroute(/\/assets\/statement-page/);
    await context.setOffline(false);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(say('statement:title'));
  });

  test('the banner and a withdrawal say the same: nothing was sent, try again when the connection is back', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fund(member, 500);
    await openHome(page);
    await button(page, say('home:withdraw')).click();
    const dialog = page.getByRole('dialog', { name: say('withdraw:title') });
    await dialog.getByLabel(say('withdraw:amount')).fill('300');
    let sent = 0;
    page.on('request', (request) => (sent += request.method() === 'POST' ? 1 : 0));
    await context.setOffline(true);
    await button(dialog, say('withdraw:submit')).click();
    const refused = page.getByRole('dialog', { name: say('withdraw:failureTitle') });
    await expect(refused.getByText(say('common:offline.now'))).toBeVisible();
    await expect(refused).toContainText(say('common:offline.unsent'));
    for (const words of ['common:offline.now', 'common:offline.unsent'])
      expect(say(words)).toContain('ลองอีกครั้งเมื่อกลับมาออนไลน์');
    await context.setOffline(false);
    await expect(page.getByText(say('common:offline.now'))).toHaveCount(0);
    await expect(refused).toBeVisible();
    await button(refused, say('common:ok')).click();
    await expect(dialog.getByLabel(say('withdraw:amount'))).toHaveValue('300');
    expect(sent).toBe(0);
  });
});
