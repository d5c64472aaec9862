import { expect, test } from '../support/test.ts';

const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

test.describe('addresses', () => {
  test('/ and /user lead home, and to /login without a session [R-ROUTE-01]', async ({ page, member }) => {
    for (const path of ['/', '/user', '/user/home']) {
      await page.goto(path);
      await expect(page).toHaveURL(/\/login(\?|$)/);
    }
    await page.goto('/no-such-page');
    await page.evaluate((token) => localStorage.setItem('token', token), member.token);
    for (const path of ['/', '/user']) {
      await page.goto(path);
      await expect(page).toHaveURL(/\/user\/home$/);
    }
  });

  test('every address opens directly and after a reload [R-ROUTE-02]', async ({ page, memberPage }) => {
    for (const path of ['/user/home', '/user/profile', '/user/statement', '/user/contact']) {
      await memberPage.goto(path);
      await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
      await memberPage.reload();
      await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
      expect(new URL(memberPage.url()).pathname).toBe(path);
    }
    for (const path of ['/login', '/register', '/howto', '/contact', '/terminated']) {
      await page.goto(path);
      await page.reload();
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      expect(new URL(page.url()).pathname).toBe(path);
    }
  });

  test('going back and forward follows the addresses [R-ROUTE-02]', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('navigation').getByRole('link', { name: 'สมัคร' }).click();
    await expect(page.getByRole('heading', { name: 'สมัครสมาชิก' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'เข้าสู่ระบบ' })).toBeVisible();
    await page.goForward();
    await expect(page.getByRole('heading', { name: 'สมัครสมาชิก' })).toBeVisible();
  });

  test('/login asks whether the site is there; gone leads to /terminated, else the marker is cleared [R-ROUTE-04]', async ({
    page,
  }) => {
    const asked = page.waitForRequest('**/api/lookup/active');
    await page.goto('/login');
    await asked;
    await expect(page.locator('body')).not.toHaveAttribute('data-terminated', /./);
    await page.route('**/api/lookup/active', (route) => route.fulfill(json({ terminated: 'gone' })));
    await page.goto('/login');
    await expect(page).toHaveURL(/\/terminated$/);
    await expect(page.locator('body')).toHaveAttribute('data-terminated', 'gone');
    await page.unroute('**/api/lookup/active');
    await page.goto('/login');
    await expect(page.getByRole('heading', { name: 'เข้าสู่ระบบ' })).toBeVisible();
    await expect(page.locator('body')).not.toHaveAttribute('data-terminated', /./);
  });

  test('entering a public page clears a stored session [R-ROUTE-05]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
    await memberPage.goto('/contact');
    await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
    await expect.poll(() => memberPage.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  test('any answer that says gone leads to /terminated, titled Page not found [R-ROUTE-06]', async ({ memberPage }) => {
    await memberPage.route('**/api/statement', (route) => route.fulfill(json({ message: 'gone' }, 410)));
    await memberPage.goto('/user/statement');
    await expect(memberPage).toHaveURL(/\/terminated$/);
    await expect(memberPage).toHaveTitle(/Page not found/);
  });

  test('a session that the server doesn’t know leads to /login [R-ROUTE-07]', async ({ page }) => {
    await page.goto('/no-such-page');
    await page.evaluate(() => localStorage.setItem('token', 'A'.repeat(43)));
    await page.goto('/user/statement');
    await expect(page).toHaveURL(/\/login/);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  test('an answer whose words are that the identity can’t be verified leads to /login [R-ROUTE-07]', async ({
    memberPage,
  }) => {
    await memberPage.route('**/api/statement', (route) => route.fulfill(json({ message: 'INVALID_USER_1' }, 401)));
    await memberPage.goto('/user/statement');
    await expect(memberPage).toHaveURL(/\/login/);
  });

  test('any other address shows Page Not Found [R-ROUTE-08]', async ({ page }) => {
    for (const path of ['/nothing', '/user/nothing/here', '/login/deeper']) {
      await page.goto(path);
      await expect(page.getByText('Page Not Found')).toBeVisible();
    }
  });

  test('the public menu leads to login, register, how-to and contact and marks where one is [R-ROUTE-09]', async ({
    page,
  }) => {
    await page.goto('/login');
    const menu = page.getByRole('navigation', { name: 'เมนูหลัก' });
    const links = { หน้าหลัก: '/login', สมัคร: '/register', วิธีใช้: '/howto', ติดต่อ: '/contact' };
    for (const [name, path] of Object.entries(links))
      await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('href', path);
    await expect(menu.locator('[aria-current=page]')).toHaveText('หน้าหลัก');
    for (const name of ['สมัคร', 'วิธีใช้', 'ติดต่อ']) {
      await menu.getByRole('link', { name }).click();
      await expect(menu.locator('[aria-current=page]')).toHaveText(name);
    }
  });

  test('the member’s frame has name, language, logout, four ways and home [R-ROUTE-10]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    await expect(memberPage.getByRole('banner')).toContainText('Krapao');
    await expect(memberPage.getByRole('banner').getByRole('combobox')).toBeVisible();
    await expect(memberPage.getByRole('banner').getByRole('button', { name: 'ออกจากระบบ' })).toBeVisible();
    const menu = memberPage.getByRole('navigation', { name: 'เมนูหลัก' });
    const links = {
      โปรไฟล์: '/user/profile',
      หน้าหลัก: '/user/home',
      รายการ: '/user/statement',
      ติดต่อ: '/user/contact',
    };
    for (const [name, path] of Object.entries(links))
      await expect(menu.getByRole('link', { name, exact: true })).toHaveAttribute('href', path);
    await menu.getByRole('button', { name: 'เงื่อนไข' }).click();
    await expect(memberPage.getByRole('dialog', { name: 'เงื่อนไขการใช้งาน' })).toBeVisible();
  });

  test('conditions are shown as html without anything that runs [R-ROUTE-11]', async ({ memberPage }) => {
    const attack =
      '<p>ข้อ <b>หนึ่ง</b></p><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">ลิงก์</a><svg><a xlink:href="javascript:window.hacked=1"><text>x</text></a></svg><form action="https://example.com"><button>ส่ง</button></form><style>body{display:none}</style>';
    await memberPage.route('**/api/lookup/conditions', (route) => route.fulfill(json([attack])));
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'เงื่อนไขการใช้งาน' });
    await expect(dialog.locator('b')).toHaveText('หนึ่ง');
    expect(await dialog.locator('script, [onerror], form, style, svg a, a[href^=javascript]').count()).toBe(0);
    expect(await memberPage.evaluate(() => 'hacked' in window)).toBe(false);
  });

  test('the real conditions are shown [R-ROUTE-11]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    await expect(memberPage.getByRole('dialog').getByRole('listitem').first()).toBeVisible();
  });
});
