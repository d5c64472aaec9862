import type { Locator } from '@playwright/test';
import { depositSheet, openDepositMethod, qrImage } from '../../support/deposit.ts';
import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, memberAsPayer } from '../../support/money.ts';
import { answerNotices, bell, countToasts, noticeSheet, sampleNotice } from '../../support/notices.ts';
import { answerPending, timelineItem, pendingItem, strip } from '../../support/pending.ts';
import { payQr } from '../../support/simulators.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** In two groups, because a member may create only a few QR codes a minute. */
const PAGE_PATHS = [
  ['home', 'profile', 'bonus', 'spin'],
  ['statement', 'contact', 'howto'],
];

for (const names of PAGE_PATHS)
  test(`an arriving deposit is announced on ${names.join(', ')}`, async ({ memberPage: page, member }) => {
    for (const [index, name] of names.entries()) {
      const socketJoined = waitForEventSocketJoin(page);
      await page.goto(`/user/${name}`);
      await socketJoined;
      const amount = 100 + index;
      // The text is shown for only four seconds, so the wait starts before it appears. The strip has it instead of a
      // toast if it listed the QR code in time.
      const toastText = page.getByText(translate('money:moneyNews.moneyIn', { amount: `฿${amount}.00` }));
      const stripText = strip(page, translate).getByText(translate('money:ended.deposit', { amount: `฿${amount}.00` }));
      await Promise.all([expect(toastText.or(stripText)).toBeVisible(), fundWallet(member, amount)]);
    }
  });

test('an arriving deposit is shown by the open deposit dialog alone, without another announcement', async ({
  memberPage: page,
  member,
}) => {
  await acceptAgreement(page);
  const socketJoined = waitForEventSocketJoin(page);
  await page.goto('/user/home');
  await socketJoined;
  await buttonByName(page, translate('home:deposit')).click();
  const sheet = dialogByName(page, translate('deposit:title'));
  await expect(sheet).toBeVisible();
  await fundWallet(member, 120);
  await expect(
    sheet.getByText(translate('deposit:arrivedAmount', { amount: '฿120.00' }), { exact: true }),
  ).toBeVisible();
  await expect(page.locator('[data-toast]')).toHaveCount(0);
});

test('a bonus credited with a deposit is announced even while a dialog hides the strip [R-WALLET-01]', async ({
  memberPage: page,
  member,
}) => {
  await acceptAgreement(page);
  const socketJoined = waitForEventSocketJoin(page);
  await page.goto('/user/home');
  await socketJoined;
  const { body } = await api<{ payload: string }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount: 100, bonus: 'WELCOME' },
  });
  const toast = (key: 'moneyIn' | 'bonus'): Locator =>
    page.locator('[data-toast]', { hasText: translate(`money:moneyNews.${key}`, { amount: '฿100.00' }) });
  await bell(page, translate).click();
  await expect(noticeSheet(page, translate)).toBeVisible();
  // Toasts are shown for only four seconds, so the waits start before they appear.
  await Promise.all([
    expect(toast('moneyIn')).toBeVisible({ timeout: 20_000 }),
    expect(toast('bonus')).toBeVisible({ timeout: 30_000 }),
    payQr(body.payload, memberAsPayer(member)),
  ]);
});

const createQr = async (token: string): Promise<string> =>
  (await api<{ payload: string }>('POST', '/api/qrcode/KBANK', { token, body: { amount: 130 } })).body.payload;

test('a deposit that the strip lists is announced once, and bell, strip and statement change within 2 seconds', async ({
  memberPage: page,
  member,
}) => {
  const payload = await createQr(member.token);
  await openHome(page);
  const socketJoined = waitForEventSocketJoin(page);
  await page.goto('/user/statement');
  await socketJoined;
  await expect(strip(page, translate).getByText(translate('money:strip.qr', { amount: '฿130.00' }))).toBeVisible();
  const toastCount = await countToasts(page);
  const unread = page.waitForResponse(
    async (response) =>
      response.url().endsWith('/api/notices') && ((await response.json()) as { unread: number }).unread > 0,
  );
  const ended = strip(page, translate).locator('[data-end=good]');
  const row = page.getByRole('main').getByText('+130.00').first();
  const at = async (change: Promise<unknown>): Promise<number> => change.then(() => Date.now());
  const times = await Promise.all([
    at(unread),
    at(expect(ended).toContainText('฿130.00', { timeout: 20_000 })),
    at(expect(row).toBeVisible({ timeout: 20_000 })),
    payQr(payload, memberAsPayer(member)).then(() => Number.NaN),
  ]);
  const changes = times.slice(0, 3);
  expect(Math.max(...changes) - Math.min(...changes)).toBeLessThan(2_000);
  await expect(ended).toBeHidden({ timeout: 10_000 });
  expect(await toastCount()).toBe(0);
});

test('a new QR and its cancellation are in the strip of a second open tab within 2 seconds [R-WALLET-02]', async ({
  memberPage: page,
  context,
}) => {
  await openHome(page);
  const other = await context.newPage();
  const listed = other.waitForResponse('**/api/pending');
  await other.goto('/user/profile');
  await listed;
  await expect(strip(other, translate)).toHaveCount(0);
  const sheet = await openDepositMethod(page, 'qr', 'ธนาคารกสิกรไทย');
  await sheet.getByLabel(translate('deposit:amount')).fill('140');
  await buttonByName(sheet, translate('deposit:create')).click();
  await expect(qrImage(depositSheet(page), '140.00')).toBeVisible();
  const waiting = strip(other, translate).getByText(translate('money:strip.qr', { amount: '฿140.00' }));
  await expect(waiting).toBeVisible({ timeout: 2_000 });
  await buttonByName(sheet, translate('deposit:cancel')).click();
  await expect(strip(other, translate)).toHaveCount(0, { timeout: 2_000 });
});

test('a failure during a page load is announced by the strip if it was listed before, else by a toast [R-WALLET-02]', async ({
  memberPage: page,
}) => {
  const slip = { key: 'S7K2M9QABCDEFG', kind: 'slip', state: 'READ', amount: null, place: null, expectedBy: null };
  let items: object[] = [pendingItem({ ...slip, target: null })];
  await answerPending(page, () => items);
  await page.route('**/api/money/S7K2M9QABCDEFG', (route) =>
    route.fulfill({
      json: timelineItem({
        key: slip.key,
        reference: slip.key,
        kind: 'slip',
        status: 'FAILED',
        reason: 'EXPIRED_SLIP',
        amount: 0,
        requested: null,
        from: 'BANK',
        to: 'WALLET',
        steps: [],
        links: [],
        expectedBy: null,
      }),
    }),
  );
  await openHome(page);
  await expect(strip(page, translate)).toBeVisible();
  items = [];
  await page.reload();
  await expect(strip(page, translate).locator('[data-end=bad]')).toContainText(translate('money:failed.deposit'));
  const refused = { kind: 'refused', facts: { subject: 'slip', reason: 'EXPIRED_SLIP' } };
  await answerNotices(page, [
    sampleNotice(2, { ...refused, reference: 'S7K2M9QABCDEFH', at: new Date(Date.now() + 60_000).toISOString() }),
    sampleNotice(1, { ...refused, reference: 'S7K2M9QABCDEFJ' }),
  ]);
  await page.reload();
  const toasts = page.locator('[data-toast=danger]');
  await expect(toasts).toHaveText([translate('push:message.slipRefused.title')]);
});
