import type { Page } from '@playwright/test';
import {
  amountField,
  depositField,
  endedNotice,
  expectEnded,
  logInAgain,
  phoneField,
  typeAmount,
} from '../../support/ended-session.ts';
import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { api, newMember } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

const savedInputs = (page: Page): Promise<string | null> => page.evaluate(() => sessionStorage.getItem('typed-inputs'));

const endOnServer = (token: string) => api('POST', '/api/logout', { token });

test.describe('a session that has ended', () => {
  test('an ended session is announced on the login page in three languages, and the typed deposit amount returns after login', async ({
    memberPage: page,
    member,
  }) => {
    const socketJoined = waitForEventSocketJoin(page);
    await openHome(page);
    await socketJoined;
    await typeAmount(page, 'deposit', '345.5');
    // By a change of password on another device.
    const other = await api<{ token: string }>('POST', '/api/login', {
      body: { username: member.phone, password: member.password },
    });
    const password = 'Another-basket-7';
    await api('PUT', '/api/account/changepwd', {
      token: other.body.token,
      body: { oldPassword: member.password, newPassword: password },
    });
    await expectEnded(page, member.phone);
    for (const language of ['la', 'en', 'th'] as const) {
      await page.getByRole('combobox').selectOption(language);
      await expect(endedNotice(page, language)).toBeVisible();
    }
    await page.reload();
    await expectEnded(page, member.phone);
    await logInAgain(page, { phone: member.phone, password });
    await expect(page).toHaveURL(/\/user\/home$/);
    await expect(depositField(page)).toHaveValue('345.5');
    await expect.poll(() => savedInputs(page)).toBeNull();
  });

  test('the amount of a withdrawal under review is kept when the server refuses it because the session has ended', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 500);
    await openHome(page);
    // The refused call reports the end, not the socket, nor the polling that replaces a silent one.
    await page.routeWebSocket(/\/socket\.io\//, () => undefined);
    await page.route('**/socket.io/**', (route) => route.abort());
    await page.reload();
    await typeAmount(page, 'withdraw', '321');
    const sheet = dialogByName(page, translate('withdraw:title'));
    await buttonByName(sheet, translate('withdraw:submit')).click();
    await expect(buttonByName(sheet, translate('withdraw:review.confirm'))).toBeVisible();
    await endOnServer(member.token);
    await buttonByName(sheet, translate('withdraw:review.confirm')).click();
    await expectEnded(page, member.phone);
    await logInAgain(page, member);
    await expect(amountField(page, 'withdraw')).toHaveValue('321');
    // Back leaves the sheet, not the page.
    await page.goBack();
    await expect(sheet).toHaveCount(0);
    await expect(page).toHaveURL(/\/user\/home$/);
  });

  test('a session that ends in two tabs restores in each tab its own sheet and amount after login', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    await fundWallet(member, 500);
    await openHome(page);
    const otherPage = await context.newPage();
    await otherPage.goto('/icon.svg');
    await openHome(otherPage);
    await typeAmount(page, 'withdraw', '123');
    await typeAmount(otherPage, 'transfer', '45');
    await endOnServer(member.token);
    await expectEnded(page, member.phone);
    await expectEnded(otherPage, member.phone);
    await logInAgain(page, member, true);
    await expect(amountField(page, 'withdraw')).toHaveValue('123');
    await expect(amountField(otherPage, 'transfer')).toHaveValue('45');
  });
});

test.describe('the end of a session', () => {
  test('after another login in this browser, the sheet and the amount are restored for the same member only', async ({
    memberPage: page,
    member,
    context,
  }) => {
    const otherMember = await newMember();
    for (const someone of [member, otherMember]) await fundWallet(someone, 500);
    await openHome(page);
    await typeAmount(page, 'withdraw', '123');
    const next = await api<{ token: string }>('POST', '/api/login', {
      body: { username: member.phone, password: member.password },
    });
    const otherPage = await context.newPage();
    // A frozen tab sees the next token only, not that the first was deleted.
    for (const [someone, amount] of [
      [{ ...member, token: next.body.token }, '123'],
      [otherMember, undefined],
    ] as const) {
      const hasReloaded = page.waitForEvent('load');
      await signIn(otherPage, someone);
      await hasReloaded;
      await expect(page.getByRole('heading', { level: 1 })).toContainText(someone.name);
      if (amount !== undefined) await expect(amountField(page, 'withdraw')).toHaveValue(amount);
    }
    await buttonByName(page, translate('home:withdraw')).click();
    await expect(amountField(page, 'withdraw')).toHaveValue('');
  });

  test('a logout is announced in the other tab, and not in the tab that logged out', async ({
    memberPage: page,
    member,
    context,
  }) => {
    await fundWallet(member, 500);
    await openHome(page);
    const otherPage = await context.newPage();
    await otherPage.goto('/icon.svg');
    await openHome(otherPage);
    await typeAmount(otherPage, 'withdraw', '123');
    await buttonByName(page, translate('common:logout')).click();
    await expectEnded(otherPage, member.phone);
    await expect(page).toHaveURL(/\/login$/);
    await expect(phoneField(page)).toHaveValue('');
    await expect(endedNotice(page)).toHaveCount(0);
    expect(await page.evaluate(() => localStorage.getItem('phone'))).toBeNull();
    await logInAgain(otherPage, member);
    await expect(amountField(otherPage, 'withdraw')).toHaveValue('123');
  });
});

test.describe('the login page after a session', () => {
  test('the login page after an ended session shows another member on the device neither the sheet nor the amount', async ({
    memberPage: page,
    member,
  }) => {
    const otherMember = await newMember();
    for (const someone of [member, otherMember]) await fundWallet(someone, 500);
    await openHome(page);
    await typeAmount(page, 'withdraw', '123');
    await endOnServer(member.token);
    await expectEnded(page, member.phone);
    expect(await savedInputs(page)).toContain('123');
    await logInAgain(page, otherMember);
    await expect(page).toHaveURL(/\/user\/home$/);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(otherMember.name);
    expect(await savedInputs(page)).toBeNull();
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await buttonByName(page, translate('home:withdraw')).click();
    await expect(amountField(page, 'withdraw')).toHaveValue('');
  });

  test('the login page after an ended session keeps no typed password, and the login leads back to the interrupted page', async ({
    memberPage: page,
    member,
  }) => {
    await page.goto('/user/profile');
    await buttonByName(page, translate('profile:changePassword')).click();
    await page.getByLabel(translate('profile:oldPassword'), { exact: true }).fill(member.password);
    await endOnServer(member.token);
    await expectEnded(page, member.phone);
    expect(String(await savedInputs(page))).not.toContain(member.password);
    await logInAgain(page, member);
    await expect(page).toHaveURL(/\/user\/profile$/);
  });

  test('the login page announces a session that ended while its tab was in the back-forward cache', async ({
    memberPage: page,
    member,
  }) => {
    await openHome(page);
    await page.evaluate(() => {
      localStorage.removeItem('token');
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    });
    await expect(page).toHaveURL(/\/login\?/);
    await expect(endedNotice(page)).toBeVisible();
    await expect(phoneField(page)).toHaveValue(member.phone);
  });

  test('the login page says that a session ended and asks for the password alone; a first-time visitor sees no such notice', async ({
    page,
    member,
  }) => {
    await signIn(page, { ...member, token: 'A'.repeat(43) });
    await page.goto('/user/statement');
    await expectEnded(page, member.phone);
    await logInAgain(page, member);
    await expect(page).toHaveURL(/\/user\/statement$/);
    await page.goto('/login');
    await page.goto('/user/statement');
    await expect(page).toHaveURL(/\/login\?/);
    await expect(phoneField(page)).toHaveValue('');
    await expect(endedNotice(page)).toHaveCount(0);
  });
});
