import type { Page } from '@playwright/test';
import { GAMES } from '../../support/game.ts';
import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, memberAsPayer, openGameAccount, transferMoney } from '../../support/money.ts';
import { bell, noticeSheet } from '../../support/notices.ts';
import { strip } from '../../support/pending.ts';
import { payQr } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, totalBalanceText } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test('the last known balance is shown with its time until the wallet has loaded, and is gone after logout [R-WALLET-08]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 1_234.5);
  await openHome(page);
  await expect(totalBalanceText(page, translate)).toHaveText('1,234.50');

  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/api/wallet', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload();
  const plaque = page.getByRole('region', { name: translate('home:total') });
  await expect(totalBalanceText(page, translate)).toHaveText('1,234.50');
  await fundWallet(member, 100);
  await expect(plaque.locator('time').first()).toHaveText(/^\d\d\/\d\d\/\d{4} \d\d:\d\d:\d\d$/);
  release();
  await expect(totalBalanceText(page, translate)).toHaveText('1,334.50');

  await buttonByName(page, translate('common:logout')).click();
  await expect(page).toHaveURL(/\/login/);
  const stored = await page.evaluate(() => [
    localStorage.getItem('last-balance'),
    sessionStorage.getItem('last-balance'),
  ]);
  expect(stored).toEqual([null, null]);
});

test('the eye button hides every amount of the page, also before the app has loaded, until it is clicked again [R-WALLET-08]', async ({
  memberPage: page,
  member,
}) => {
  await fundWallet(member, 777.25);
  await openHome(page);
  await expect(totalBalanceText(page, translate)).toHaveText('777.25');
  const eye = buttonByName(page, translate('common:hideAmounts'));
  await eye.click();
  await expect(eye).toHaveAttribute('aria-pressed', 'true');
  const amounts = page.getByText('777.25');
  await expect(amounts).toHaveCount(0);
  await page.reload();
  await expect(totalBalanceText(page, translate)).toContainText('••••••');
  await expect(amounts).toHaveCount(0);
  await eye.click();
  await expect(totalBalanceText(page, translate)).toHaveText('777.25');
});

/** Keeps each amount with a currency sign that is written in the page from its first byte on, also in labels. */
const watchAmounts = (page: Page): Promise<unknown> =>
  page.addInitScript(() => {
    const seen = new Set<string>();
    Object.assign(globalThis, { seenAmounts: seen });
    const note = (text: string | null): void => {
      for (const [amount] of text?.matchAll(/.{0,20}฿[\d,]+\.\d\d/g) ?? []) seen.add(amount);
    };
    const look = (node: Node): void => {
      note(node.textContent);
      const elements = node instanceof Element ? [node, ...node.querySelectorAll('[aria-label]')] : [];
      for (const element of elements) note(element.getAttribute('aria-label'));
    };
    new MutationObserver((records) => {
      for (const { target, addedNodes } of records) [target, ...addedNodes].forEach(look);
    }).observe(document, { subtree: true, childList: true, characterData: true, attributeFilter: ['aria-label'] });
  });
const seenAmounts = (page: Page): Promise<string[]> =>
  page.evaluate(() => [...(globalThis as unknown as { seenAmounts: Set<string> }).seenAmounts]);

test('the eye button also hides amounts in the strip, toasts, the bell and the play suggestion, from the first paint [R-WALLET-08]', async ({
  memberPage: page,
  member,
}) => {
  const hidden = translate('common:amountHidden');
  const { username } = await openGameAccount(member, 'pg');
  await fundWallet(member, 777.25);
  await transferMoney(member, 'WALLET', 'pg', 100);
  const launch = await api('GET', `/api/autoLogin/pg/${username}`, { token: member.token });
  expect(launch.status).toBe(200);
  await transferMoney(member, 'pg', 'WALLET', 60);
  const { body: qr } = await api<{ payload: string; amount: number }>('POST', '/api/qrcode/KBANK', {
    token: member.token,
    body: { amount: 500 },
  });
  const { body: other } = await api<{ payload: string; amount: number }>('POST', '/api/qrcode/WW', {
    token: member.token,
    body: { amount: 250 },
  });
  await openHome(page);
  await expect(strip(page, translate)).toBeVisible();
  await watchAmounts(page);
  await page.evaluate(() => localStorage.setItem('hide-balance', '1'));
  let socketJoined = waitForEventSocketJoin(page);
  await page.reload();
  await socketJoined;
  await expect(buttonByName(page, `${translate('lobby:play', { amount: hidden })} ${GAMES.pg}`)).toBeVisible();
  await strip(page, translate).getByRole('button').first().click();
  const list = page.getByRole('dialog', { name: translate('money:strip.label') });
  await expect(list.getByRole('listitem')).toHaveCount(2);
  for (const item of await list.getByRole('listitem').all())
    await expect(item.getByRole('button')).toHaveAccessibleName(
      new RegExp(`^${translate('money:strip.qr', { amount: hidden })}`),
    );
  await expect(list).toContainText('••••••');
  await buttonByName(list, translate('common:close')).click();
  // A good end is shown for some seconds, so the wait starts before it.
  await Promise.all([
    expect(strip(page, translate).locator('[data-end=good]')).toContainText(hidden),
    expect(
      buttonByName(strip(page, translate), translate('lobby:quickPlay', { name: GAMES.pg, amount: hidden })),
    ).toBeVisible(),
    payQr(qr.payload, memberAsPayer(member)),
  ]);
  await bell(page, translate).click();
  await expect(noticeSheet(page, translate).getByRole('listitem').first()).toContainText(hidden);
  expect(await seenAmounts(page)).toEqual([]);

  socketJoined = waitForEventSocketJoin(page);
  await page.goto('/user/profile');
  await socketJoined;
  await expect(strip(page, translate).getByRole('button', { name: hidden })).toBeVisible();
  await Promise.all([
    expect(strip(page, translate).locator('[data-end=good]')).toContainText(hidden),
    payQr(other.payload, memberAsPayer(member)),
  ]);
  expect(await seenAmounts(page)).toEqual([]);

  await openHome(page);
  await buttonByName(page, translate('common:hideAmounts')).click();
  await expect.poll(() => seenAmounts(page)).not.toEqual([]);
});
