import { openHome, waitForEventSocketJoin } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { totalBalanceText } from '../../support/user-actions.ts';

const translate = translatorFor('th');

test.describe('a session that ends elsewhere', () => {
  test('a session ended by a password change on another device leads to /login without an action of the member', async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 250);
    const socketJoined = waitForEventSocketJoin(page);
    await openHome(page);
    await expect(totalBalanceText(page, translate)).toHaveText('250.00');
    await socketJoined;
    const otherLogIn = await api<{ token: string }>('POST', '/api/login', {
      body: { username: member.phone, password: member.password },
    });
    // Notified by the socket, not by a refused call.
    await page.route('**/api/**', (route) => route.abort());
    const changeReply = await api('PUT', '/api/account/changepwd', {
      token: otherLogIn.body.token,
      body: { oldPassword: member.password, newPassword: 'Another-basket-7' },
    });
    expect(changeReply.status).toBe(200);
    await expect(page).toHaveURL(/\/login\?/);
    await expect(page.getByRole('main').getByText(translate('login:sessionEnded'), { exact: true })).toBeVisible();
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  test('balances disappear when the session ends elsewhere, even if the login page fails to load', async ({
    memberPage: page,
    member,
    baseURL,
  }) => {
    // The cookie that a login sets: without the cookie a page prefetches the login page.
    await page.context().addCookies([{ name: 'member', value: '1', url: baseURL ?? '' }]);
    await openGameAccount(member, 'pg');
    await fundWallet(member, 250);
    const socketJoined = waitForEventSocketJoin(page);
    await openHome(page);
    await expect(totalBalanceText(page, translate)).toHaveText('250.00');
    await socketJoined;
    await page.getByRole('button', { name: translate('home:transfer') }).click();
    await expect(page.getByRole('dialog')).toContainText('฿250.00');
    await page.route(/\/assets\/(login|public-layout)/, () => undefined);
    expect((await api('POST', '/api/logout', { token: member.token })).status).toBe(200);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('250.00')).toHaveCount(0);
    await expect(page.getByRole('button', { name: translate('login:submit') })).toHaveCount(0);
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});
