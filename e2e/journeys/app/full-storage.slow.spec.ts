import type { Page } from '@playwright/test';
import { ChangingWorker } from '../../support/changing-worker.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { acceptAgreement, expect, test as base, WITH_SERVICE_WORKER } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const MEMBER_PATHS = ['home', 'bonus', 'spin', 'statement', 'profile', 'contact', 'howto'].map(
  (name) => `/user/${name}`,
);
const STARTUP_ERROR = "Couldn't reach the server";

const test = base.extend<{ releases: ChangingWorker }>({
  releases: async ({}, use) => {
    const releases = new ChangingWorker();
    await use(releases);
    releases.stop();
  },
  baseURL: async ({ releases }, use) => use(await releases.start()),
});

test.use(WITH_SERVICE_WORKER);

/** Opens a page under the service worker. */
async function openControlled(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await page.reload();
  await expect.poll(() => page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true);
}

/** From now on the origin may store one byte. */
async function fillStorage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 1 });
  const failure = await page.evaluate(async () => {
    const cache = await caches.open('krapao');
    return cache.put('/probe', new Response('probe')).catch((error: Error) => error.name);
  });
  expect(failure).toBe('QuotaExceededError');
}

/** Opens every page of a member, each as a new document. */
async function expectAllPages(page: Page): Promise<void> {
  for (const path of MEMBER_PATHS) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }), path).toBeVisible();
    await expect(page.locator('[aria-busy=true], main [role=status][aria-label]'), path).toHaveCount(0);
    await expect(page.getByText(STARTUP_ERROR), path).toHaveCount(0);
    await expect(page.getByRole('alert'), path).toHaveCount(0);
  }
}

test.describe('a phone whose storage is full', () => {
  test('on a phone with full storage every member page and money dialog opens, and an update is installed', async ({
    memberPage: page,
    member,
    releases,
  }) => {
    await fundWallet(member, 500);
    await acceptAgreement(page);
    await openControlled(page, '/user/contact');
    await fillStorage(page);
    await expectAllPages(page);
    for (const tile of ['deposit', 'withdraw', 'transfer'] as const) {
      await openHome(page);
      await buttonByName(page, translate(`home:${tile}`)).click();
      const dialog = dialogByName(page, translate(`${tile}:title`));
      await expect(dialog).toBeVisible();
      await expect(dialog.locator('[aria-busy=true]')).toHaveCount(0);
    }

    releases.releaseBuild();
    await page.goto('/user/statement');
    const reloaded = page.waitForEvent('load');
    await buttonByName(page, translate('install:update.action')).click();
    await reloaded;
    expect(await page.evaluate(async () => (await navigator.serviceWorker.ready).waiting)).toBeNull();
    await expectAllPages(page);
    await buttonByName(page, translate('common:logout')).click();
    for (const path of ['/login', '/register']) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
  });
});

const storageFaults = {
  'fails in every operation': `() => Promise.reject(new Error('broken'))`,
  'throws in every operation': `() => { throw new Error('broken') }`,
  'never replies': '() => new Promise(() => {})',
};

for (const [name, fault] of Object.entries(storageFaults)) {
  test(`a service worker whose storage ${name} controls the app, and every page opens`, async ({
    memberPage: page,
    releases,
  }) => {
    releases.prelude = `for (const name of ['open', 'match', 'delete', 'keys', 'has']) caches[name] = ${fault};\n`;
    await acceptAgreement(page);
    await openControlled(page, '/user/contact');
    await expectAllPages(page);
  });
}

test.describe('a browser whose local storage is full', () => {
  test.use({ serviceWorkers: 'block' });

  test('with full local storage a login lasts until the tab closes, the agreement is asked once per page, and logout works', async ({
    page,
    member,
  }) => {
    await page.addInitScript(() => {
      const setItem = Reflect.get<Storage, 'setItem'>(Storage.prototype, 'setItem');
      Storage.prototype.setItem = function store(key: string, value: string): void {
        if (this === localStorage) throw new DOMException('full', 'QuotaExceededError');
        Reflect.apply(setItem, this, [key, value]);
      };
    });
    await page.goto('/login');
    await page.getByLabel(translate('login:phone')).fill(member.phone);
    await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
    await page.getByLabel(translate('login:remember')).check();
    await buttonByName(page, translate('login:submit')).click();
    await expect(page).toHaveURL(/\/user\/home$/);
    const agreement = dialogByName(page, translate('agreement:title'));
    await buttonByName(agreement, translate('agreement:accept')).click();
    await page.getByRole('link', { name: translate('common:menu.statement') }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('statement:title'));
    await page.goBack();
    await expect(page).toHaveURL(/\/user\/home$/);
    await page.waitForTimeout(2_000);
    await expect(agreement).toBeHidden();
    await page.reload();
    await expect(page).toHaveURL(/\/user\/home$/);
    await buttonByName(agreement, translate('agreement:accept')).click();
    await buttonByName(page, translate('common:logout')).click();
    await expect(page).toHaveURL(/\/login/);
    expect(await page.evaluate(() => sessionStorage.getItem('token'))).toBeNull();
  });
});
