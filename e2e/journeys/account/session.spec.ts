import { openHome, joinedLine } from '../../support/home.ts';
import { api } from '../../support/member.ts';
import { fund, openGame } from '../../support/money.ts';
import { expect, test } from '../../support/test.ts';
import { total } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

test.describe('a session that ends elsewhere', () => {
  test('ends at once, without a press: a change of password on another device leads to /login', async ({
    memberPage: page,
    member,
  }) => {
    await fund(member, 250);
    const joined = joinedLine(page);
    await openHome(page);
    await expect(total(page, say)).toHaveText('250.00');
    await joined;
    const other = await api<{ token: string }>('POST', '/api/login', {
      body: { username: member.phone, password: member.password },
    });
    // Shown for four seconds: looked for from before it comes.
    const shown = expect(page.getByText(say('errors:errorMsg.INVALID_USER_2'))).toBeAttached();
    // Notified by the socket, not by a refused call.
    await page.route('**/api/**', (route) => route.abort());
    const changed = await api('PUT', '/api/account/changepwd', {
      token: other.body.token,
      body: { oldPassword: member.password, newPassword: 'Another-basket-7' },
    });
    expect(changed.status).toBe(200);
    await expect(page).toHaveURL(/\/login\?/);
    await shown;
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  test('takes the balances off the screen, even while the login page can’t be loaded', async ({
    memberPage: page,
    member,
    baseURL,
  }) => {
    // As after a login: a page without it loads the login page ahead.
    await page.context().addCookies([{ name: 'member', value: '1', url: baseURL ?? '' }]);
    await openGame(member, 'pg');
    await fund(member, 250);
    const joined = joinedLine(page);
    await openHome(page);
    await expect(total(page, say)).toHaveText('250.00');
    await joined;
    await page.getByRole('button', { name: say('home:transfer') }).click();
    await expect(page.getByRole('dialog')).toContainText('฿250.00');
    await page.route(/\/assets\/(login|public-layout)/, () => undefined);
    expect((await api('POST', '/api/logout', { token: member.token })).status).toBe(200);
    await expect(page.getByRole('dialog')).toHaveCount(0);
    await expect(page.getByText('250.00')).toHaveCount(0);
    await expect(page.getByRole('button', { name: say('login:submit') })).toHaveCount(0);
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});
