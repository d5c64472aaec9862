import type { Locator, Page } from '@playwright/test';
import { api } from '../../support/member.ts';
import { acceptAgreement, expect, signIn, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');

const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

/** Tokens in both storages: session storage and local storage. */
const storedTokens = (page: Page): Promise<(string | null)[]> =>
  page.evaluate(() => [sessionStorage.getItem('token'), localStorage.getItem('token')]);

async function logIn(page: Page, { phone, password }: { phone: string; password: string }): Promise<void> {
  // The screen before may have a field with the same name.
  await expect(buttonByName(page, translate('login:submit'))).toBeEnabled();
  await page.getByLabel(translate('login:phone')).fill(phone);
  await page.getByLabel(translate('login:password'), { exact: true }).fill(password);
  await buttonByName(page, translate('login:submit')).click();
  await expect(page).toHaveURL(/\/user\/home$/);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
}

test.describe('addresses', () => {
  test('/ and /user lead to home, and to /login without a session [R-ROUTE-01]', async ({ page, member }) => {
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
    await acceptAgreement(memberPage);
    const screenNames = ['home', 'profile', 'bonus', 'statement', 'contact', 'spin', 'howto'];
    const expectScreen = async (screenName: string): Promise<void> => {
      await expect(memberPage).toHaveTitle(new RegExp(`^${translate(`common:title.${screenName}`)} · `));
      await expect(memberPage.getByRole('heading', { level: 1 })).toBeVisible();
      expect(new URL(memberPage.url()).pathname).toBe(`/user/${screenName}`);
    };
    for (const screenName of screenNames) {
      await memberPage.goto(`/user/${screenName}`);
      await expectScreen(screenName);
      await memberPage.reload();
      await expectScreen(screenName);
    }
    for (const screen of ['login', 'register', 'howto', 'contact', 'terminated']) {
      const expectPublic = async (): Promise<void> => {
        await expect(page).toHaveTitle(new RegExp(`^${translate(`common:title.${screen}`)}( · |$)`));
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
        expect(new URL(page.url()).pathname).toBe(`/${screen}`);
      };
      await page.goto(`/${screen}`);
      await expectPublic();
      await page.reload();
      await expectPublic();
    }
  });

  test('every address under /user leads to /login without a session, and is remembered for after the login [R-ROUTE-03]', async ({
    page,
  }) => {
    for (const screenName of ['home', 'profile', 'bonus', 'statement', 'contact', 'spin', 'howto']) {
      await page.goto(`/user/${screenName}`);
      await expect(page).toHaveURL((url) => url.pathname === '/login' && url.search.includes(screenName));
      await expect(
        page.getByRole('navigation').getByRole('link', { name: translate('common:menu.register') }),
      ).toBeVisible();
    }
  });

  test('browser Back and Forward follow the visited addresses [R-ROUTE-02]', async ({ page }) => {
    await page.goto('/login');
    await page.getByRole('navigation').getByRole('link', { name: 'สมัคร' }).click();
    await expect(page.getByRole('heading', { name: 'สมัครสมาชิก' })).toBeVisible();
    await page.goBack();
    await expect(page.getByRole('heading', { name: 'เข้าสู่ระบบ' })).toBeVisible();
    await page.goForward();
    await expect(page.getByRole('heading', { name: 'สมัครสมาชิก' })).toBeVisible();
  });

  test('/login requests whether the site is available; "gone" leads to /terminated and support, otherwise the marker is removed [R-ROUTE-04]', async ({
    page,
  }) => {
    const activeRequest = page.waitForRequest('**/api/lookup/active');
    await page.goto('/login');
    await activeRequest;
    await expect(page.locator('body')).not.toHaveAttribute('data-terminated', /./);
    await page.route('**/api/lookup/active', (route) => route.fulfill(json({ terminated: 'gone' })));
    await page.goto('/login');
    await expect(page).toHaveURL(/\/terminated$/);
    await expect(page.locator('body')).toHaveAttribute('data-terminated', 'gone');
    // Money may still be there.
    const support = page.getByRole('main').getByRole('link', { name: translate('parts:terminated.contact') });
    await expect(support).toHaveAttribute('href', /^(https?|line):/);
  });

  test('/login removes the "gone" marker of a site that is available again, without a page load [R-ROUTE-04]', async ({
    page,
  }) => {
    const bodyMarker = page.locator('body');
    const menu = page.getByRole('navigation');
    await page.goto('/login');
    await expect(buttonByName(page, translate('login:submit'))).toBeEnabled();
    await menu.getByRole('link', { name: translate('common:menu.register') }).click();
    // The address changes before the page is shown.
    await expect(buttonByName(page, translate('common:next'))).toBeEnabled();
    await page.route('**/api/lookup/active', (route) => route.fulfill(json({ terminated: 'gone' })));
    await menu.getByRole('link', { name: translate('common:menu.home'), exact: true }).click();
    await expect(page).toHaveURL(/\/terminated$/);
    await expect(bodyMarker).toHaveAttribute('data-terminated', 'gone');
    await page.unroute('**/api/lookup/active');
    await page.evaluate(() => Object.assign(globalThis, { isSameDocument: true }));
    // From /terminated over /register to the first /login.
    await page.evaluate(() => history.go(-2));
    await expect(page).toHaveURL(/\/login$/);
    await expect(bodyMarker).not.toHaveAttribute('data-terminated', /./);
    expect(await page.evaluate(() => 'isSameDocument' in globalThis)).toBe(true);
  });
});

test.describe('public pages', () => {
  test('every public page deletes a stored session when its address is opened [R-ROUTE-05]', async ({
    page,
    member,
  }) => {
    for (const path of ['/login', '/register', '/howto', '/contact']) {
      await signIn(page, member);
      await page.goto('/user/profile');
      await expect(page.getByText(member.id)).toBeVisible();
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect.poll(() => storedTokens(page), path).toEqual([null, null]);
      await page.goto('/user/profile');
      await expect(page).toHaveURL(/\/login\?/);
    }
  });

  test('Back from a member page to a public page leads home and keeps the session, within the app and across page loads', async ({
    page,
    member,
  }) => {
    await acceptAgreement(page);
    await page.goto('/register');
    await expect(buttonByName(page, translate('common:next'))).toBeEnabled();
    const menu = page.getByRole('navigation');
    await menu.getByRole('link', { name: translate('common:menu.contact') }).click();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(translate('contact:heading'));
    await menu.getByRole('link', { name: translate('common:menu.home'), exact: true }).click();
    await expect(buttonByName(page, translate('login:submit'))).toBeEnabled();
    await logIn(page, member);
    const tokens = await storedTokens(page);
    expect(tokens).not.toEqual([null, null]);
    // Over /contact and /register, each of which becomes the home page.
    for (let step = 0; step < 2; step += 1) {
      await page.goBack();
      await expect(page).toHaveURL(/\/user\/home$/);
      await expect(page.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
      expect(await storedTokens(page)).toEqual(tokens);
    }

    await page.evaluate(() => sessionStorage.clear());
    await page.goto('/register');
    await expect(buttonByName(page, translate('common:next'))).toBeEnabled();
    await signIn(page, member);
    await page.goto('/user/profile');
    await expect(page.getByText(member.id)).toBeVisible();
    // Over the page on which the test stored the session.
    await page.goBack();
    await page.goBack();
    await expect(page).toHaveURL(/\/user\/home$/);
    await expect(page.getByRole('button', { name: 'ฝากเงิน' })).toBeVisible();
    expect(await storedTokens(page)).toContain(member.token);
  });

  test('a public page restored from the back-forward cache with a session leads home', async ({ page, member }) => {
    await page.goto('/contact');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await page.evaluate((token) => {
      localStorage.setItem('token', token);
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
    }, member.token);
    await expect(page).toHaveURL(/\/user\/home$/);
    expect(await storedTokens(page)).toContain(member.token);
  });

  test('a member opens the tutorials inside /user, from home and from contact, and stays logged in', async ({
    memberPage,
  }) => {
    await acceptAgreement(memberPage);
    for (const [path, expectedText] of [
      ['/user/home', 'home:howto'],
      ['/user/contact', 'contact:howto'],
    ] as const) {
      await memberPage.goto(path);
      await memberPage.getByRole('link', { name: translate(expectedText) }).click();
      await expect(memberPage.getByRole('heading', { level: 1 })).toHaveText(translate('howto:heading'));
      await expect(memberPage).toHaveURL(/\/user\/howto$/);
      await expect(memberPage.getByRole('main').getByRole('listitem').getByRole('button')).toHaveCount(5);
      await expect(buttonByName(memberPage, translate('common:logout'))).toBeVisible();
    }
  });
});

test.describe('a site or a session that is gone', () => {
  test('the reply "gone" to any page\'s or visitor\'s call, even a silent or background one, leads to /terminated [R-ROUTE-06]', async ({
    page,
    member,
    wire,
  }) => {
    wire.expectFault(/POST \/api\/statement answered 200/);
    for (const [status, path, openRoute] of [
      [410, '**/api/statement', '/user/statement'],
      [200, '**/api/statement', '/user/statement'],
      [410, '**/api/wallet', '/user/home'],
      [410, '**/api/spinwheel/active', '/user/home'],
      [410, '**/api/lookup/contact', '/contact'],
    ] as const) {
      await signIn(page, member);
      await page.route(path, (route) => route.fulfill(json({ message: 'gone' }, status)));
      await page.goto(openRoute);
      await expect(page, `${status} to ${path}`).toHaveURL(/\/terminated$/);
      await expect(page).toHaveTitle(/Page not found/);
      await page.unroute(path);
    }
  });

  test('the reply "gone" to a submitted form leads to /terminated, too [R-ROUTE-06]', async ({ page, member }) => {
    await page.goto('/login');
    await page.route('**/api/login', (route) => route.fulfill(json({ message: 'gone' }, 410)));
    await page.getByLabel(translate('login:phone')).fill(member.phone);
    await page.getByLabel(translate('login:password'), { exact: true }).fill(member.password);
    await buttonByName(page, translate('login:submit')).click();
    await expect(page).toHaveURL(/\/terminated$/);
  });

  test('the reply "invalid-token" to any call of a page, even a silent or background one, leads to /login [R-ROUTE-07]', async ({
    page,
    member,
    wire,
  }) => {
    wire.expectFault(/GET \/api\/bonus answered 200/);
    for (const [status, path, openRoute] of [
      [401, '**/api/account/profile', '/user/profile'],
      [200, '**/api/bonus', '/user/bonus'],
      [401, '**/api/wallet', '/user/home'],
      [401, '**/api/spinwheel/active', '/user/home'],
    ] as const) {
      await signIn(page, member);
      await page.route(path, (route) => route.fulfill(json({ message: 'invalid-token' }, status)));
      await page.goto(openRoute);
      await expect(page, `${status} to ${path}`).toHaveURL(/\/login\?/);
      expect(await storedTokens(page), path).toEqual([null, null]);
      await page.unroute(path);
    }
  });

  test('a session that the server does not know leads to /login [R-ROUTE-07]', async ({ page }) => {
    await page.goto('/no-such-page');
    await page.evaluate(() => localStorage.setItem('token', 'A'.repeat(43)));
    await page.goto('/user/statement');
    await expect(page).toHaveURL(/\/login/);
    await expect.poll(() => page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });

  test('a reply with the text that the identity cannot be verified leads to /login [R-ROUTE-07]', async ({
    memberPage,
  }) => {
    await memberPage.route('**/api/statement', (route) => route.fulfill(json({ message: 'INVALID_USER_1' }, 401)));
    await memberPage.goto('/user/statement');
    await expect(memberPage).toHaveURL(/\/login/);
  });

  test('an unknown address shows Page Not Found [R-ROUTE-08]', async ({ page }) => {
    for (const path of ['/nothing', '/user/nothing/here', '/login/deeper']) {
      await page.goto(path);
      await expect(page.getByText('Page Not Found')).toBeVisible();
    }
  });
});

test.describe('the frame of the pages', () => {
  test('the public menu links to login, register, how-to and contact, and marks the current page [R-ROUTE-09]', async ({
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

  test("the member layout has the site's name, language, logout, four menu entries and the home button [R-ROUTE-10]", async ({
    memberPage,
  }) => {
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
    const homeLink = menu.getByRole('link', { name: 'หน้าหลัก', exact: true });
    const readSize = (entry: Locator): Promise<number> =>
      entry.locator('svg').evaluate((iconElement) => iconElement.parentElement?.getBoundingClientRect().width ?? 0);
    for (const name of ['โปรไฟล์', 'รายการ', 'ติดต่อ']) {
      const otherLink = menu.getByRole('link', { name, exact: true });
      const iconBoxes = await Promise.all([homeLink, otherLink].map((entry) => entry.locator('svg').boundingBox()));
      expect(iconBoxes[0]?.width ?? 0, `home is larger than ${name}`).toBeGreaterThan(iconBoxes[1]?.width ?? 0);
    }
    expect(await readSize(homeLink), 'its round').toBeGreaterThanOrEqual(56);
    await expect(memberPage.getByRole('banner').getByRole('combobox').locator('option')).toHaveCount(3);
    await memberPage.getByRole('banner').getByRole('combobox').selectOption('en');
    await expect(memberPage.getByRole('heading', { level: 1 })).toHaveText(translatorFor('en')('profile:title'));
    await memberPage.getByRole('banner').getByRole('combobox').selectOption('th');
    await menu.getByRole('button', { name: 'เงื่อนไข' }).click();
    await expect(memberPage.getByRole('dialog', { name: 'เงื่อนไขการใช้งาน' })).toBeVisible();
  });

  test('the conditions are shown as HTML without anything executable [R-ROUTE-11]', async ({ memberPage }) => {
    const MARKUP_ATTACK =
      '<p>ข้อ <b>หนึ่ง</b></p><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">ลิงก์</a><svg><a xlink:href="javascript:window.hacked=1"><text>x</text></a></svg><form action="https://example.com"><button>ส่ง</button></form><style>body{display:none}</style>';
    await memberPage.route('**/api/lookup/conditions', (route) => route.fulfill(json([MARKUP_ATTACK])));
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'เงื่อนไขการใช้งาน' });
    await expect(dialog.locator('b')).toHaveText('หนึ่ง');
    expect(await dialog.locator('script, [onerror], form, style, svg a, a[href^=javascript]').count()).toBe(0);
    expect(await memberPage.evaluate(() => 'hacked' in window)).toBe(false);
  });

  test('the seeded conditions are shown [R-ROUTE-11]', async ({ memberPage }) => {
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const { body: texts } = await api<string[]>('GET', '/api/lookup/conditions');
    expect(texts.length).toBeGreaterThan(0);
    const dialog = memberPage.getByRole('dialog');
    const textOfHtml = (html: string): string =>
      html
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
    for (const html of texts)
      await expect.poll(async () => textOfHtml(await dialog.innerHTML())).toContain(textOfHtml(html));
  });
});
