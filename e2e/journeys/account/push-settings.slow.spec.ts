import type { Page } from '@playwright/test';
import { expectAccessible, expectNoHorizontalOverflow } from '../../support/accessible.ts';
import { openChatWindow, sendInChatWindow } from '../../support/chat.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { mockPushBrowser, readPushBrowser } from '../../support/push.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, pressCheckbox, sendWithdrawal as sendTyped } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const KINDS = ['money-in', 'paid-out', 'refused', 'support', 'security'];
const MONEY_KINDS = ['money-in', 'paid-out', 'refused'];

type StoredSubscription = { endpoint: string; language: string; kinds: string[]; withAmounts: boolean };

/** Answers the subscription of the session in place of the server. @returns the stored one, and all that were sent */
async function answerSubscription(page: Page) {
  const server: { stored: StoredSubscription | null; sent: StoredSubscription[]; ended: number } = {
    stored: null,
    sent: [],
    ended: 0,
  };
  await page.route('**/api/push/key', (route) => route.fulfill({ json: { publicKey: `B${'A'.repeat(86)}` } }));
  await page.route('**/api/push/subscription', (route) => {
    const request = route.request();
    if (request.method() === 'PUT') {
      server.stored = request.postDataJSON() as StoredSubscription;
      server.sent.push(server.stored);
      return route.fulfill({ json: { id: '7b0c7a52-5b39-4f0e-8f7e-2f3f6c1d9a10' } });
    }
    if (request.method() === 'DELETE') {
      server.stored = null;
      server.ended += 1;
      return route.fulfill({ json: { message: 'OK' } });
    }
    const { stored } = server;
    return route.fulfill({
      json: {
        subscription: stored && {
          id: '7b0c7a52-5b39-4f0e-8f7e-2f3f6c1d9a10',
          endpoint: stored.endpoint,
          language: stored.language,
          kinds: stored.kinds,
          withAmounts: stored.withAmounts,
        },
      },
    });
  });
  return server;
}

const deviceSwitch = (page: Page, language: Language = 'th') =>
  page.getByRole('switch', { name: translatorFor(language)('push:settings.device') });
const kindSwitch = (page: Page, kind: string, language: Language = 'th') =>
  page.getByRole('switch', { name: translatorFor(language)(`push:settings.kind.${kind}`) });
const amountSwitch = (page: Page, language: Language = 'th') =>
  page.getByRole('switch', { name: translatorFor(language)('push:settings.amounts') });

/** The switch turns on once the browser has its permission. */
async function turnOn(page: Page, language: Language = 'th'): Promise<void> {
  await deviceSwitch(page, language).click();
  await expect(deviceSwitch(page, language)).toBeChecked();
}

for (const [language, viewport] of [
  ['th', { width: 390, height: 844 }],
  ['la', { width: 320, height: 568 }],
  ['en', { width: 1280, height: 800 }],
] as const)
  test.describe(`in ${language} at ${viewport.width}`, () => {
    test.use({ viewport });

    test('push messages are off by default; each kind and the amounts have a switch, and the choice survives a reload [R-WALLET-07]', async ({
      memberPage: page,
    }) => {
      await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
      await mockPushBrowser(page);
      const server = await answerSubscription(page);
      await page.goto('/user/profile');
      await expect(deviceSwitch(page, language)).not.toBeChecked();
      await expect(kindSwitch(page, 'support', language)).toHaveCount(0);
      expect(server.sent).toEqual([]);
      expect(await readPushBrowser(page)).toEqual({});
      await turnOn(page, language);
      expect((await readPushBrowser(page))['isActive']).toBe('true');
      for (const kind of KINDS)
        await expect(kindSwitch(page, kind, language)).toBeChecked({ checked: MONEY_KINDS.includes(kind) });
      await expect(amountSwitch(page, language)).not.toBeChecked();
      await expect.poll(() => server.stored).toMatchObject({ language, kinds: MONEY_KINDS, withAmounts: false });
      await kindSwitch(page, 'support', language).click();
      await kindSwitch(page, 'money-in', language).click();
      await amountSwitch(page, language).click();
      await expect
        .poll(() => server.stored)
        .toMatchObject({ kinds: ['paid-out', 'refused', 'support'], withAmounts: true });
      await expectAccessible(page, 'notifications');
      await expectNoHorizontalOverflow(page, 'notifications');
      const sentCount = server.sent.length;
      await page.reload();
      await expect(deviceSwitch(page, language)).toBeChecked();
      await expect(kindSwitch(page, 'support', language)).toBeChecked();
      await expect(kindSwitch(page, 'money-in', language)).not.toBeChecked();
      await expect(amountSwitch(page, language)).toBeChecked();
      await deviceSwitch(page, language).click();
      await expect.poll(() => server.ended).toBe(1);
      await expect(kindSwitch(page, 'support', language)).toHaveCount(0);
      expect(server.sent.length).toBe(sentCount);
      expect((await readPushBrowser(page))['unsubscribed']).toBe('1');
    });
  });

test("a push subscription follows the app's language and is renewed if the server lost it; a refused change is undone [R-WALLET-07]", async ({
  memberPage: page,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  await page.goto('/user/profile');
  await turnOn(page);
  await expect.poll(() => server.stored?.language).toBe('th');
  await page.getByRole('banner').getByRole('combobox').selectOption('en');
  await expect.poll(() => server.stored).toMatchObject({ language: 'en', kinds: MONEY_KINDS });
  server.stored = null;
  await page.goto('/user/statement');
  await expect.poll(() => server.stored).toMatchObject({ language: 'en', kinds: MONEY_KINDS });
  await page.goto('/user/profile');
  await page.route('**/api/push/subscription', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } })
      : route.fallback(),
  );
  await kindSwitch(page, 'support', 'en').click();
  await expect(page.locator('[data-toast=danger]')).toBeVisible();
  await expect(kindSwitch(page, 'support', 'en')).not.toBeChecked();
});

test('a push switch changes immediately when it is clicked, before the browser has replied [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  await page.goto('/user/profile');
  await expect(deviceSwitch(page)).not.toBeChecked();
  expect(await deviceSwitch(page).evaluate(pressCheckbox)).toBe(true);
  await expect.poll(() => server.stored?.kinds).toEqual(MONEY_KINDS);
  expect(await kindSwitch(page, 'support').evaluate(pressCheckbox)).toBe(true);
  expect(await kindSwitch(page, 'money-in').evaluate(pressCheckbox)).toBe(false);
  expect(await amountSwitch(page).evaluate(pressCheckbox)).toBe(true);
  await expect
    .poll(() => server.stored)
    .toMatchObject({ kinds: ['paid-out', 'refused', 'support'], withAmounts: true });
  expect(await deviceSwitch(page).evaluate(pressCheckbox)).toBe(false);
  await expect.poll(() => server.stored).toBeNull();
});

test('logout deletes the push subscription in the browser, and the next member on the device gets no messages [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  await page.goto('/user/profile');
  await turnOn(page);
  await expect.poll(() => server.sent.length).toBe(1);
  await page.evaluate(() =>
    localStorage.setItem(
      'push',
      JSON.stringify({ ...JSON.parse(localStorage.getItem('push') ?? '{}'), memberId: 'other' }),
    ),
  );
  await page.goto('/user/statement');
  await expect.poll(async () => (await readPushBrowser(page))['unsubscribed']).toBe('1');
  expect(await page.evaluate(() => localStorage.getItem('push'))).toBeNull();
  expect(server.sent.length).toBe(1);
  await page.goto('/user/profile');
  await turnOn(page);
  await expect.poll(() => server.sent.length).toBe(2);
  await buttonByName(page, translate('common:logout')).click();
  await expect(page).toHaveURL(/\/login$/);
  await expect.poll(async () => (await readPushBrowser(page))['unsubscribed']).toBe('2');
  expect(await page.evaluate(() => localStorage.getItem('push'))).toBeNull();
});

test('a denied push permission shows how to allow it, and is not requested again [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await mockPushBrowser(page, { answer: 'denied' });
  const server = await answerSubscription(page);
  await page.goto('/user/profile');
  await deviceSwitch(page).click();
  await expect(page.getByRole('main')).toContainText(translate('push:settings.allow'));
  await expect(deviceSwitch(page)).toHaveCount(0);
  await expectAccessible(page, 'denied');
  expect(server.sent).toEqual([]);
  expect((await readPushBrowser(page))['requested']).toBe('1');
});

for (const [where, userAgent, text] of [
  [
    'in the browser of LINE',
    'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Line/14.9.0',
    'push:settings.inApp',
  ],
  [
    'in Safari on an iPhone',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
    'push:settings.install',
  ],
] as const)
  test.describe(where, () => {
    test.use({ userAgent });

    test('the profile offers no push messages in a browser that cannot receive them, and says why [R-WALLET-07]', async ({
      memberPage: page,
      member,
    }) => {
      await mockPushBrowser(page);
      await answerSubscription(page);
      await page.goto('/user/profile');
      await expect(page.getByRole('main')).toContainText(translate(text));
      await expect(page.getByRole('switch')).toHaveCount(0);
      await sendWithdrawal(page, member);
      await expect(buttonByName(page, translate('push:ask.yes'))).toHaveCount(0);
      expect(await readPushBrowser(page)).toEqual({});
    });
  });

/** Sends a withdrawal, whose reply is the test's. */
async function sendWithdrawal(page: Page, member: Parameters<typeof fundWallet>[0]): Promise<void> {
  await fundWallet(member, 500);
  await page.route('**/api/wallet/withdrawAll', (route) =>
    route.fulfill({ json: { reference: 'W1', status: 'PROCESSING', amount: 100, notBrought: [] } }),
  );
  await openHome(page);
  await buttonByName(page, translate('home:withdraw')).click();
  const sheet = dialogByName(page, translate('withdraw:title'));
  await sheet.getByLabel(translate('withdraw:amount')).fill('100');
  await sendTyped(sheet, translate);
  await expect(dialogByName(page, translate('withdraw:successTitle'))).toBeVisible();
}

test('after a withdrawal the member is asked once about push messages; only "Yes" opens the browser\'s prompt, within the click [R-WALLET-07]', async ({
  memberPage: page,
  member,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  await sendWithdrawal(page, member);
  const question = page.getByText(translate('push:ask.withdraw'));
  await expect(question).toBeVisible();
  await expectAccessible(page, 'question about messages');
  expect(await readPushBrowser(page)).toEqual({});
  await buttonByName(page, translate('push:ask.yes')).click();
  await expect(page.getByText(translate('push:ask.on'))).toBeVisible();
  expect(await readPushBrowser(page)).toMatchObject({ requested: '1', isActive: 'true' });
  expect(server.stored).toMatchObject({ language: 'th', kinds: MONEY_KINDS, withAmounts: false });
  await openHome(page);
  await sendWithdrawal(page, member);
  await expect(question).toHaveCount(0);
});

test('"Not now" to push messages is remembered after the next withdrawal and the next login [R-WALLET-07]', async ({
  memberPage: page,
  member,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  await sendWithdrawal(page, member);
  await buttonByName(page, translate('push:ask.later')).click();
  await expect(page.getByText(translate('push:ask.withdraw'))).toHaveCount(0);
  await page.goto('/login');
  await page.evaluate((token) => localStorage.setItem('token', token), member.token);
  await sendWithdrawal(page, member);
  await expect(page.getByText(translate('push:ask.withdraw'))).toHaveCount(0);
  expect(await readPushBrowser(page)).toEqual({});
  expect(server.sent).toEqual([]);
});

test('a member who wrote in the chat and leaves it is asked once about push messages for replies [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await mockPushBrowser(page);
  const server = await answerSubscription(page);
  const question = page.getByText(translate('push:ask.chat'));
  const closeChat = (): Promise<void> => page.keyboard.press('Escape');
  await page.goto('/user/contact');
  await openChatWindow(page, translate);
  await closeChat();
  await expect(question).toHaveCount(0);
  const chat = await openChatWindow(page, translate);
  await sendInChatWindow(chat, translate, 'ถอนเงินแล้วยังไม่เข้า');
  await expect(question).toHaveCount(0);
  await closeChat();
  await expect(question).toBeVisible();
  await expectAccessible(page, 'question about replies');
  await expectNoHorizontalOverflow(page, 'question about replies');
  await buttonByName(page, translate('push:ask.yes')).click();
  await expect(page.locator('[data-toast=success]')).toHaveText(translate('push:ask.on'));
  await expect(question).toHaveCount(0);
  expect(server.stored?.kinds).toEqual([...MONEY_KINDS, 'support']);
  await openChatWindow(page, translate);
  await closeChat();
  // A reply of support may have come.
  await expect(page.getByRole('button', { name: new RegExp(`^${translate('chat:open')}`) })).toBeVisible();
  await expect(question).toHaveCount(0);
});
