import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from '@playwright/test';
import { chromiumPath, CHROMIUM_FLAGS } from '../../support/browser.ts';
import { openHome } from '../../support/home.ts';
import { api, appUrl, type Member, newAddress } from '../../support/member.ts';
import { fundWallet } from '../../support/money.ts';
import { bell, noticeSheet } from '../../support/notices.ts';
import {
  type BrowserSubscription,
  endAtPushService,
  mockPushBrowser,
  type PushPayload,
  readPushBrowser,
  readPushMessages,
  subscribeAtPushService,
} from '../../support/push.ts';
import { expect, signIn, test as base } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

type PushFixtures = {
  /** Subscription that the simulated push service issues to the browser. */
  subscription: BrowserSubscription;
  /** A browser with a profile: without one, permissions are refused. */
  phone: BrowserContext;
};

const test = base.extend<PushFixtures>({
  subscription: async ({ member }, use) => {
    const { body } = await api<{ publicKey: string }>('GET', '/api/push/key', { token: member.token });
    await use(await subscribeAtPushService(body.publicKey));
  },
  phone: async ({ subscription }, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'krapao-push-'));
    const context = await chromium.launchPersistentContext(folder, {
      serviceWorkers: 'allow',
      executablePath: chromiumPath(),
      args: CHROMIUM_FLAGS,
      baseURL: appUrl(),
      viewport: { width: 390, height: 844 },
      locale: 'th-TH',
      timezoneId: 'Asia/Bangkok',
      reducedMotion: 'reduce',
      extraHTTPHeaders: { 'x-forwarded-for': newAddress() },
    });
    await context.grantPermissions(['notifications'], { origin: new URL(appUrl()).origin });
    await mockPushBrowser(context, { subscription, isWorkerMocked: false });
    await use(context);
    await context.close();
    await rm(folder, { recursive: true, force: true });
  },
});

/** Opens the profile of a member and turns messages on. */
async function turnOnMessages(phone: BrowserContext, member: Member, language: Language): Promise<Page> {
  const page = phone.pages()[0] ?? (await phone.newPage());
  await signIn(page, member);
  await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
  await page.goto('/user/profile');
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  // Only a page that the worker controls can be navigated by it.
  await page.reload();
  const saved = page.waitForResponse(
    (response) => response.url().endsWith('/api/push/subscription') && response.request().method() === 'PUT',
  );
  await page.getByRole('switch', { name: translatorFor(language)('push:settings.device') }).click();
  const reply = await saved;
  expect(reply.status(), await reply.text()).toBe(200);
  return page;
}

/** Waits for the number of messages and returns the newest one. */
async function newestMessage(subscription: BrowserSubscription, count: number): Promise<PushPayload> {
  await expect.poll(async () => (await readPushMessages(subscription)).length, { timeout: 30_000 }).toBe(count);
  const payload = (await readPushMessages(subscription)).at(-1)?.payload;
  if (!payload) throw new Error('the message has no payload');
  return payload;
}

/** Waits for the member's first notice, which is stored together with its messages. */
const untilNoticed = (member: Member): Promise<void> =>
  expect
    .poll(
      async () => {
        const { body } = await api<{ total: number }>('POST', '/api/notices', {
          token: member.token,
          body: { page: 1, limit: 10 },
        });
        return body.total;
      },
      { timeout: 30_000 },
    )
    .toBe(1);

/** Hands a decrypted message to the service worker, as the browser does. */
async function deliver(page: Page, data: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const { promise: registrationId, resolve } = Promise.withResolvers<string>();
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
    const registration = registrations.find(({ isDeleted }) => !isDeleted);
    if (registration) resolve(registration.registrationId);
  });
  await session.send('ServiceWorker.enable');
  const { origin } = new URL(appUrl());
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId: await registrationId, data });
  await session.detach();
}

type ShownNotification = { title: string; body: string; lang: string; tag: string };

/** For each shown notification, whether the browser alerts again when another of its tag replaces it. */
const alertsAgain = (page: Page): Promise<unknown[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map((notification) => (notification as Notification & { renotify: boolean }).renotify);
  });

const shownNotifications = (page: Page): Promise<ShownNotification[]> =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.ready;
    const notifications = await registration.getNotifications();
    return notifications.map(({ title, body, lang, tag }) => ({ title, body, lang, tag }));
  });

type SpiedScope = {
  registration: ServiceWorkerRegistration;
  dispatchEvent: (event: Event) => boolean;
};

/**
 * Presses the shown notification. A press by script has no user activation, which the browser requires for focus and new
 * windows: both are recorded or skipped. @param isAppOpen false: the worker finds no page of the app. The real page stays,
 * because the browser may stop a worker without one. @returns paths of new windows
 */
async function pressNotification(phone: BrowserContext, isAppOpen = true): Promise<string[]> {
  const [worker] = phone.serviceWorkers();
  if (!worker) throw new Error('there is no service worker');
  return worker.evaluate(async (isOpen) => {
    const scope = globalThis as unknown as SpiedScope & Record<string, { prototype: object }>;
    const openedPaths: string[] = [];
    Object.assign(scope['Clients']?.prototype ?? {}, {
      openWindow: async (path: string) => void openedPaths.push(path),
      ...(!isOpen && { matchAll: async () => [] }),
    });
    Object.assign(scope['WindowClient']?.prototype ?? {}, {
      focus: async function focus(this: unknown) {
        return this;
      },
    });
    const [notification] = await scope.registration.getNotifications();
    const EventClass = scope['NotificationEvent'] as unknown as new (type: string, options: object) => Event;
    const press = new EventClass('notificationclick', { notification });
    const { promise, resolve } = Promise.withResolvers<unknown>();
    scope.dispatchEvent(Object.assign(press, { waitUntil: resolve }));
    await promise;
    return openedPaths;
  }, isAppOpen);
}

for (const language of ['th', 'la', 'en'] satisfies Language[])
  test(`in ${language} a deposit sends an encrypted push message without amount; one notification opens its timeline [R-WALLET-07]`, async ({
    phone,
    member,
    subscription,
  }) => {
    test.setTimeout(180_000);
    const translate = translatorFor(language);
    const page = await turnOnMessages(phone, member, language);
    expect(await readPushMessages(subscription)).toEqual([]);
    await fundWallet(member, 150);
    const payload = await newestMessage(subscription, 1);
    const { title, body, lang, tag, navigate } = payload.notification;
    expect([title, body]).toEqual([translate('push:message.moneyIn.title'), translate('push:message.moneyIn.body')]);
    expect(Object.keys(payload.notification).toSorted()).toEqual([
      'body',
      'dir',
      'lang',
      'navigate',
      'silent',
      'tag',
      'title',
    ]);
    expect([tag, navigate.slice(navigate.indexOf('#'))]).toEqual([
      expect.stringMatching(/^money-in:line-\d+$/),
      expect.stringMatching(/^#money=line-\d+$/),
    ]);

    await deliver(page, JSON.stringify(payload));
    await deliver(page, JSON.stringify(payload));
    await expect.poll(() => shownNotifications(page)).toEqual([{ title, body, lang, tag }]);
    expect(await alertsAgain(page)).toEqual([false]);
    expect(lang).toBe({ th: 'th', la: 'lo', en: 'en' }[language]);

    // The open page navigates to the timeline.
    await openHome(page);
    await page.goto('/user/statement');
    expect(await pressNotification(phone)).toEqual([]);
    await expect(page).toHaveURL(/\/user\/home/);
    await expect(page.getByRole('dialog')).toContainText('฿150.00');
    await expect.poll(() => shownNotifications(page)).toEqual([]);
    expect(new URL(navigate, appUrl()).pathname).toBe('/user/home');

    // The bell has the same notice.
    await page.keyboard.press('Escape');
    await bell(page, translate).click();
    await expect(noticeSheet(page, translate).getByRole('listitem')).toContainText([title]);
  });

test('without an open page a notification opens a new one; a malformed push message shows a neutral one that leads home [R-WALLET-07]', async ({
  phone,
  member,
  subscription,
}) => {
  test.setTimeout(180_000);
  const page = await turnOnMessages(phone, member, 'en');
  await fundWallet(member, 150);
  const payload = await newestMessage(subscription, 1);
  await deliver(page, JSON.stringify(payload));
  await expect.poll(async () => (await shownNotifications(page)).length).toBe(1);
  const { pathname, hash } = new URL(payload.notification.navigate, appUrl());
  expect(await pressNotification(phone, false)).toEqual([pathname + hash]);

  for (const malformed of [
    '',
    '{"web_push":8030',
    '{"web_push":8030,"notification":{"title":7,"navigate":"https://elsewhere.example"}}',
  ]) {
    await deliver(page, malformed);
    await expect
      .poll(() => shownNotifications(page))
      .toEqual([expect.objectContaining({ title: 'Krapao', body: 'You have a new notification' })]);
    expect(await alertsAgain(page)).toEqual([true]);
  }
  expect(await pressNotification(phone, false)).toEqual(['/user/home']);
});

test('push messages of disabled kinds are not sent, amounts only if enabled, and the language follows the app [R-WALLET-07]', async ({
  phone,
  member,
  subscription,
}) => {
  test.setTimeout(180_000);
  const page = await turnOnMessages(phone, member, 'th');
  const change = async (press: () => Promise<unknown>): Promise<void> => {
    const saved = page.waitForResponse('**/api/push/subscription');
    await press();
    expect((await saved).status()).toBe(200);
  };
  const english = translatorFor('en');
  await change(() => page.getByRole('banner').getByRole('combobox').selectOption('en'));
  await change(() => page.getByRole('switch', { name: english('push:settings.kind.money-in') }).click());
  await fundWallet(member, 120);
  await untilNoticed(member);
  await change(() => page.getByRole('switch', { name: english('push:settings.kind.money-in') }).click());
  await change(() => page.getByRole('switch', { name: english('push:settings.amounts') }).click());
  await fundWallet(member, 130);
  const { notification } = await newestMessage(subscription, 1);
  expect(notification).toMatchObject({
    title: english('push:message.moneyIn.title'),
    body: english('push:message.moneyIn.amountBody', { amount: '฿130.00' }),
    lang: 'en',
  });
});

test('no push message follows an expired subscription or a logout: both delete the subscription [R-WALLET-07]', async ({
  phone,
  member,
  subscription,
}) => {
  test.setTimeout(180_000);
  const { publicKey } = (await api<{ publicKey: string }>('GET', '/api/push/key', { token: member.token })).body;
  const readSubscription = async () =>
    (await api<{ subscription: object | null }>('GET', '/api/push/subscription', { token: member.token })).body
      .subscription;
  const page = await turnOnMessages(phone, member, 'th');
  expect(await readSubscription()).toMatchObject({ endpoint: subscription.endpoint, language: 'th' });
  await page.goto('about:blank');
  await endAtPushService(subscription);
  await fundWallet(member, 100);
  await expect.poll(readSubscription, { timeout: 30_000 }).toBeNull();

  const renewed = await subscribeAtPushService(publicKey);
  await mockPushBrowser(phone, { subscription: renewed, isWorkerMocked: false });
  const saved = page.waitForResponse(
    (response) => response.url().endsWith('/api/push/subscription') && response.request().method() === 'PUT',
  );
  await page.goto('/user/profile');
  await saved;
  await fundWallet(member, 110);
  await deliver(page, JSON.stringify(await newestMessage(renewed, 1)));
  await expect.poll(async () => (await shownNotifications(page)).length).toBe(1);
  // Another browser of the member, which gets the next message.
  const { body } = await api<{ token: string }>('POST', '/api/login', {
    body: { username: member.phone, password: member.password, remember: true },
  });
  const other = { ...member, token: body.token };
  const witness = await subscribeAtPushService(publicKey);
  const choice = { language: 'th', kinds: ['money-in'], withAmounts: false };
  await api('PUT', '/api/push/subscription', { token: other.token, body: { ...witness, ...choice } });
  await buttonByName(page, translatorFor('th')('common:logout')).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(async () => Number((await readPushBrowser(page))['unsubscribed'] ?? 0)).toBeGreaterThanOrEqual(1);
  await expect.poll(() => shownNotifications(page)).toEqual([]);
  await fundWallet(other, 115);
  await newestMessage(witness, 1);
  expect(await readPushMessages(renewed)).toHaveLength(1);
});
