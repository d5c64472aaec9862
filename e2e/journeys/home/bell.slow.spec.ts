import { expectAccessible, expectNoHorizontalOverflow } from '../../support/accessible.ts';
import { openHome } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet } from '../../support/money.ts';
import { answerNotices, bell, noticesOfEachKind, noticeSheet, sampleNotice } from '../../support/notices.ts';
import { timelineItem } from '../../support/pending.ts';
import { expect, test } from '../../support/test.ts';
import { type Language, translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const BELL_PX = 44;
const GREETING_PX = 32;
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

for (const language of ['th', 'la', 'en'] satisfies Language[])
  for (const viewport of SIZES)
    test.describe(`in ${language} at ${viewport.width}`, () => {
      test.use({ viewport });

      test("the bell is right of the greeting, does not change the row's height, and lists each kind of notice [R-WALLET-07]", async ({
        memberPage: page,
      }) => {
        const translate = translatorFor(language);
        await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
        await answerNotices(page, noticesOfEachKind());
        await openHome(page);
        const button = buttonByName(page, translate('push:bell.openUnread', { number: 5 }));
        await expect(button).toBeVisible();
        const [bellBox, greeting, plaque] = await Promise.all([
          button.boundingBox(),
          page.getByRole('heading', { level: 1 }).boundingBox(),
          page.locator('.plaque').boundingBox(),
        ]);
        if (!bellBox || !greeting || !plaque) throw new Error('the bell, the greeting or the plaque has no box');
        expect([bellBox.width, bellBox.height, greeting.height]).toEqual([BELL_PX, BELL_PX, GREETING_PX]);
        expect(bellBox.x).toBeGreaterThanOrEqual(greeting.x + greeting.width + 8);
        expect(bellBox.x + bellBox.width).toBeCloseTo(plaque.x + plaque.width, 0);
        expect(bellBox.y + bellBox.height).toBeLessThanOrEqual(plaque.y);
        await button.click();
        const sheet = noticeSheet(page, translate);
        await expect(sheet.getByRole('listitem')).toHaveCount(7);
        for (const key of [
          'moneyIn',
          'paidOut',
          'refused',
          'slipRefused',
          'support',
          'passwordChanged',
          'bankAccountChanged',
        ])
          await expect(
            sheet
              .getByRole('listitem')
              .filter({ hasText: translate(`push:message.${key}.title`) })
              .first(),
          ).toBeVisible();
        await expect(sheet.getByText(translate('push:bell.unread'))).toHaveCount(5);
        await expect(sheet).toContainText('฿1,250.50');
        await expectAccessible(page, 'notices');
        await expectNoHorizontalOverflow(page, 'notices');
        await buttonByName(sheet, translate('push:bell.markRead')).click();
        await expect(sheet.getByText(translate('push:bell.unread'))).toHaveCount(0);
        await expect(buttonByName(sheet, translate('push:bell.markRead'))).toHaveCount(0);
        await buttonByName(sheet, translate('common:close')).click();
        await expect(buttonByName(page, translate('push:bell.title'))).toBeVisible();
      });
    });

const translate = translatorFor('th');

test('each notice opens its subject: the timeline, the chat or the profile [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await answerNotices(page, noticesOfEachKind());
  await page.route('**/api/money/*', (route) => route.fulfill({ json: timelineItem() }));
  await openHome(page);
  const press = async (title: string): Promise<void> => {
    await bell(page, translate).click();
    await noticeSheet(page, translate)
      .getByRole('button', { name: translate(`push:message.${title}.title`) })
      .click();
    await expect(noticeSheet(page, translate)).toBeHidden();
  };
  const money = page.waitForRequest('**/api/money/W7K2M9QABCDEFG');
  await press('paidOut');
  await money;
  const timeline = dialogByName(page, translate('money:kind.withdraw'));
  await expect(timeline).toBeVisible();
  await buttonByName(timeline, translate('common:close')).click();
  await press('passwordChanged');
  await expect(page).toHaveURL(/\/user\/profile$/);
  // The profile has the bell too.
  await press('support');
  await expect(page).toHaveURL(/\/user\/contact$/);
  await expect(page.getByRole('dialog').or(page.getByRole('complementary')).first()).toBeVisible();
});

test('a page opened before an upgrade lists unknown kinds of notices with a general text', async ({
  memberPage: page,
  wire,
}) => {
  wire.expectFault(/POST \/api\/notices answered 200: .*kind/);
  await answerNotices(page, [
    sampleNotice(32, { kind: 'limit', facts: {}, target: '/user/home' }),
    sampleNotice(31, { kind: 'security', facts: { subject: 'passkey' }, target: '/user/profile' }),
  ]);
  await openHome(page);
  await bell(page, translate).click();
  await expect(noticeSheet(page, translate).getByRole('listitem')).toContainText([
    translate('push:message.other.title'),
    translate('push:message.securityChanged.title'),
  ]);
});

test('the list of notices shows loading, empty, failed and offline states, has pages, and hides amounts with the eye button [R-WALLET-07]', async ({
  memberPage: page,
  context,
}) => {
  await answerNotices(page, []);
  await openHome(page);
  await bell(page, translate).click();
  const sheet = noticeSheet(page, translate);
  await expect(sheet).toContainText(translate('push:bell.empty'));
  await expectAccessible(page, 'no notices');
  await buttonByName(sheet, translate('common:close')).click();

  await page.route('**/api/notices', (route) =>
    route.fulfill({ status: 500, json: { message: 'INTERNAL_SERVER_ERROR' } }),
  );
  await openHome(page);
  await bell(page, translate).click();
  await expect(sheet.getByRole('alert')).toContainText(translate('push:bell.failed'));
  await answerNotices(
    page,
    Array.from({ length: 12 }, (_, index) => sampleNotice(120 - index)),
  );
  await page.evaluate(() => localStorage.setItem('hide-balance', '1'));
  await buttonByName(sheet, translate('common:retry')).click();
  await expect(sheet.getByRole('listitem')).toHaveCount(10);
  await buttonByName(sheet, translate('parts:pagination.next')).click();
  await expect(sheet.getByRole('listitem')).toHaveCount(2);
  // Unlike those of shown notices, which have a first one.
  const read = page.waitForRequest(
    (request) => request.url().endsWith('/api/notices/read') && !('from' in (request.postDataJSON() as object)),
  );
  await buttonByName(sheet, translate('push:bell.markRead')).click();
  expect((await read).postDataJSON()).toEqual({ until: '120' });

  // Slow, then without a connection.
  await page.unroute('**/api/notices');
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/notices', async (route) => {
    await released;
    await route.abort();
  });
  await openHome(page);
  await bell(page, translate).click();
  await expect(sheet.getByRole('status', { name: translate('common:loading') })).toBeVisible();
  await expect(sheet).not.toContainText('฿');
  await context.setOffline(true);
  release();
  await expect(sheet.getByRole('alert')).toContainText(translate('push:bell.offline'));
  await context.setOffline(false);
});

test('opening the list of notices marks the visible ones as read on every device [R-WALLET-07]', async ({
  memberPage: page,
  member,
}) => {
  const unreadOnServer = async (): Promise<number> =>
    (await api<{ unread: number }>('POST', '/api/notices', { token: member.token, body: { page: 1, limit: 10 } })).body
      .unread;
  await fundWallet(member, 10);
  await expect.poll(unreadOnServer).toBe(1);
  await openHome(page);
  await buttonByName(page, translate('push:bell.openUnread', { number: 1 })).click();
  const sheet = noticeSheet(page, translate);
  await expect(sheet.getByText(translate('push:bell.unread'))).toHaveCount(1);
  await expect.poll(unreadOnServer).toBe(0);
  // What is new stays recognizable while the list is open.
  await expect(sheet.getByText(translate('push:bell.unread'))).toHaveCount(1);
  await buttonByName(sheet, translate('common:close')).click();
  await expect(buttonByName(page, translate('push:bell.title'))).toBeVisible();
});

test('notices of a later page stay unread until that page is shown [R-WALLET-07]', async ({ memberPage: page }) => {
  await answerNotices(
    page,
    Array.from({ length: 12 }, (_, index) => sampleNotice(120 - index)),
  );
  await openHome(page);
  const sheet = noticeSheet(page, translate);
  const nextRead = async (): Promise<unknown> => (await page.waitForRequest('**/api/notices/read')).postDataJSON();
  const firstRead = nextRead();
  await buttonByName(page, translate('push:bell.openUnread', { number: 12 })).click();
  expect(await firstRead).toEqual({ until: '120', from: '111' });
  await buttonByName(sheet, translate('common:close')).click();
  const secondRead = nextRead();
  await buttonByName(page, translate('push:bell.openUnread', { number: 2 })).click();
  await buttonByName(sheet, translate('parts:pagination.next')).click();
  expect(await secondRead).toEqual({ until: '110', from: '109' });
  await buttonByName(sheet, translate('common:close')).click();
  await expect(buttonByName(page, translate('push:bell.title'))).toBeVisible();
});

test('a support reply and a change of credentials are announced once on every page [R-WALLET-07]', async ({
  memberPage: page,
}) => {
  await answerNotices(page, [sampleNotice(1, { kind: 'support', reference: 'm1', facts: {} })]);
  const listed = page.waitForResponse('**/api/notices');
  await page.goto('/user/statement');
  await listed;
  const toasts = page.locator('[data-toast]');
  await expect(toasts).toHaveCount(0);
  await answerNotices(page, [
    sampleNotice(3, { kind: 'security', reference: 'p1', facts: { subject: 'password' }, target: '/user/profile' }),
    sampleNotice(2, { kind: 'support', reference: 'm2', facts: {}, target: '/user/home#chat' }),
    sampleNotice(1, { kind: 'support', reference: 'm1', facts: {} }),
  ]);
  const reportPush = (): Promise<unknown> =>
    page.evaluate(() => navigator.serviceWorker.dispatchEvent(new MessageEvent('message', { data: { type: 'push' } })));
  await reportPush();
  await expect(toasts).toHaveCount(2);
  await expect(toasts.first()).toHaveText(translate('push:message.support.title'));
  await expect(toasts.last()).toContainText(translate('push:message.passwordChanged.body'));
  await expect(toasts).toHaveCount(0);
  const again = page.waitForResponse('**/api/notices');
  await reportPush();
  await again;
  await expect(toasts).toHaveCount(0);
});
