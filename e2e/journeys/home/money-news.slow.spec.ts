import type { Locator } from '@playwright/test';
import { waitForEventSocketJoin } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, memberAsPayer } from '../../support/money.ts';
import { bell, noticeSheet } from '../../support/notices.ts';
import { payQr } from '../../support/simulators.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';
import { translatorFor } from '../../support/translate.ts';

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
      // The text is shown for only four seconds, so the wait starts before it appears.
      const moneyToast = expect(
        page.getByText(translate('money:moneyNews.moneyIn', { amount: `฿${amount}.00` })),
      ).toBeVisible();
      await Promise.all([moneyToast, fundWallet(member, amount)]);
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
