import { appUrl, newMember, newPhone } from '../../support/member.ts';
import { expect, signIn, test } from '../../support/test.ts';

test.describe('login', () => {
  test('login requires phone and password, and the error disappears on typing [R-LOGIN-01]', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
    await expect(page.getByText('กรุณากรอกเบอร์โทรศัพท์')).toBeVisible();
    await expect(page.getByText('กรุณากรอกรหัสผ่าน')).toBeVisible();
    await page.getByLabel('เบอร์โทรศัพท์').fill('0');
    await expect(page.getByText('กรุณากรอกเบอร์โทรศัพท์')).toBeHidden();
    await expect(page.getByText('กรุณากรอกรหัสผ่าน')).toBeHidden();
  });

  test('login refuses a phone number without exactly 10 digits with an error text, and sends nothing [R-LOGIN-03]', async ({
    page,
  }) => {
    let loginRequests = 0;
    page.on('request', (request) => (loginRequests += request.url().endsWith('/api/login') ? 1 : 0));
    await page.goto('/login');
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('something-9');
    for (const phone of ['081234567', '08123456789']) {
      await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page.getByText('เบอร์โทรศัพท์ต้องมี 10 หลัก')).toBeVisible();
    }
    expect(loginRequests).toBe(0);
  });

  test('the login page links to registration and is available in Thai, Lao and English [R-LOGIN-04]', async ({
    page,
  }) => {
    await page.goto('/login');
    const language = page.getByRole('combobox');
    await language.selectOption('la');
    await expect(page.getByRole('heading', { name: 'ເຂົ້າສູ່ລະບົບ' })).toBeVisible();
    await language.selectOption('en');
    await expect(page.getByRole('heading', { name: 'Log in' })).toBeVisible();
    await language.selectOption('th');
    await expect(page.getByRole('heading', { name: 'เข้าสู่ระบบ' })).toBeVisible();
    await page.getByRole('main').getByRole('link', { name: 'สมัครสมาชิก' }).click();
    await expect(page).toHaveURL(/\/register$/);
  });

  test('the forgotten-password link leads to the contact channels of the operator', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('main').getByRole('link', { name: 'ลืมรหัสผ่าน' }).click();
    await expect(page).toHaveURL(/\/contact$/);
    await expect(page.getByRole('figure')).toBeVisible();
  });

  test('with "remember me" the token outlives the browser session; without it, the token ends with the session [R-LOGIN-02] [R-KEY-01]', async ({
    page,
    member,
  }) => {
    const storedTokens = () =>
      page.evaluate(() => ({ kept: localStorage.getItem('token'), session: sessionStorage.getItem('token') }));
    for (const remember of [false, true]) {
      await page.goto('/login');
      await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
      if (remember) await page.getByLabel('จำการเข้าสู่ระบบในเครื่องนี้').check();
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page).toHaveURL(/\/user\/home$/);
      const { kept, session } = await storedTokens();
      expect(Boolean(kept)).toBe(remember);
      expect(Boolean(session)).toBe(!remember);
    }
  });

  test('a wrong password and an unknown phone show the same error, which disappears on typing [R-NET-04]', async ({
    page,
    member,
  }) => {
    await page.goto('/login');
    for (const phone of [member.phone, newPhone()]) {
      await page.getByLabel('เบอร์โทรศัพท์').fill(phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill('not-the-password-1');
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page.getByRole('alert')).toHaveText('เบอร์โทรศัพท์หรือรหัสผ่านไม่ถูกต้อง');
    }
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill('x');
    await expect(page.getByRole('alert')).toBeHidden();
  });
});

test.describe('logout and remembered targets', () => {
  test('logout deletes the token and ends the session on the server [R-LOGIN-05]', async ({ memberPage, member }) => {
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'ออกจากระบบ' }).click();
    await expect(memberPage).toHaveURL(/\/login$/);
    expect(
      await memberPage.evaluate(() => localStorage.getItem('token') ?? sessionStorage.getItem('token')),
    ).toBeNull();
    await expect
      .poll(async () => {
        const profileReply = await memberPage.request.get('/api/account/profile', {
          headers: { authorization: `Bearer ${member.token}` },
        });
        return profileReply.json();
      })
      .toMatchObject({ message: 'invalid-token' });
  });

  test('a member who logs out and clicks again before the login page loads is still logged out [R-LOGIN-05]', async ({
    memberPage,
  }) => {
    await memberPage.goto('/user/contact');
    await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
    await memberPage.evaluate(() => {
      document.querySelector<HTMLElement>('[aria-label="ออกจากระบบ"]')?.click();
      document.querySelector<HTMLElement>('nav a[href="/user/contact"]')?.click();
    });
    await expect(memberPage).toHaveURL(/\/login\?/);
    await expect(memberPage.getByRole('button', { name: 'ออกจากระบบ' })).toHaveCount(0);
  });

  test('login leads to the page that was requested before it [R-ROUTE-03]', async ({ page }) => {
    const member = await newMember();
    await page.goto('/user/statement');
    await expect(page).toHaveURL(/\/login/);
    await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
    await expect(page).toHaveURL(/\/user\/statement$/);
  });

  test('the page requested before login keeps its query and hash [R-ROUTE-03]', async ({ page, member }) => {
    for (const isExpired of [false, true]) {
      // Opened without a session, and with an expired one.
      if (isExpired) await signIn(page, { ...member, token: 'A'.repeat(43) });
      await page.goto('/user/statement?from=sms#slips');
      await expect(page).toHaveURL(/\/login\?/);
      await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page).toHaveURL(/\/user\/statement\?from=sms#slips$/);
      await expect(page.getByRole('dialog')).toBeVisible();
      // Entering a public page ends the session, for the next round.
      await page.goto('/contact');
    }
  });

  test('a browser that blocks storage shows the reason, and no session is opened', async ({ page, member }) => {
    await page.addInitScript(() => {
      const refuseAccess = (): never => {
        throw new DOMException('The operation is insecure.', 'SecurityError');
      };
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, { get: refuseAccess });
    });
    let loginRequests = 0;
    page.on('request', (request) => (loginRequests += request.url().endsWith('/api/login') ? 1 : 0));
    await page.goto('/login');
    await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
    await expect(page.getByRole('alert')).toContainText('เบราว์เซอร์นี้ไม่ยอมให้เว็บเก็บข้อมูล');
    expect(loginRequests).toBe(0);
    await page.goto('/user/home');
    await expect(page).toHaveURL(/\/login/);
  });

  test('login never leads to another site: a remembered address outside this site is ignored [R-ROUTE-03]', async ({
    page,
    member,
  }) => {
    for (const target of [
      'https://example.com/user',
      '//example.com',
      '/\\example.com',
      'javascript:alert(1)',
      '/login',
    ]) {
      // A public page ends the session of the login before.
      await page.goto(`/login?target=${encodeURIComponent(target)}`);
      await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page, target).toHaveURL(`${appUrl()}/user/home`);
    }
  });
});
