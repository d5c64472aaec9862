import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount } from '../../support/money.ts';
import { advancePageClock } from '../../support/page-clock.ts';
import { acceptAgreement, expect, WITH_MOTION, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { totalBalanceText } from '../../support/user-actions.ts';

const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

test.use(WITH_MOTION);

test.describe('talking to the server', () => {
  test('calls carry the token and the X-Requested-With header, and time out after 60 s [R-NET-02]', async ({
    memberPage,
    member,
  }) => {
    const statementRequest = memberPage.waitForRequest('**/api/statement');
    await memberPage.goto('/user/statement');
    const headers = await (await statementRequest).allHeaders();
    expect(headers['authorization']).toBe(`Bearer ${member.token}`);
    expect(headers['x-requested-with']).toBe('XMLHttpRequest');
    await memberPage.goto('/login');
    await expect(memberPage.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true })).toBeEnabled();
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await memberPage.route('**/api/login', () => undefined);
    await memberPage.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await memberPage.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    const loginRequest = memberPage.waitForRequest('**/api/login');
    await memberPage.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
    expect((await (await loginRequest).allHeaders())['authorization']).toBeUndefined();
    await memberPage.clock.fastForward(59_000);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    // A visitor has no statement.
    await expect(memberPage.getByRole('alert')).toHaveText('เซิร์ฟเวอร์ตอบช้ากว่าปกติ ลองอีกครั้งในอีกสักครู่');
  });

  test("every member call carries token and X-Requested-With header on every page; a visitor's call only the header [R-NET-02]", async ({
    memberPage: page,
    member,
  }) => {
    const sentCalls: { path: string; marker: string | undefined; authorization: string | undefined }[] = [];
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      const headers = request.headers();
      if (path.startsWith('/api/'))
        sentCalls.push({ path, marker: headers['x-requested-with'], authorization: headers['authorization'] });
    });
    await acceptAgreement(page);
    const unmarkedPaths = (): string[] =>
      sentCalls.filter(({ marker }) => marker !== 'XMLHttpRequest').map(({ path }) => path);
    for (const screenName of ['home', 'profile', 'bonus', 'statement', 'contact', 'spin']) {
      await page.goto(`/user/${screenName}`, { waitUntil: 'networkidle' });
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
    const requestedPaths = new Set(sentCalls.map(({ path }) => path));
    for (const path of ['/api/wallet', '/api/account/profile', '/api/bonus', '/api/statement', '/api/lookup/contact'])
      expect([...requestedPaths]).toContain(path);
    expect(sentCalls.filter(({ authorization }) => authorization !== `Bearer ${member.token}`)).toEqual([]);
    expect(unmarkedPaths()).toEqual([]);

    await page.goto('/contact', { waitUntil: 'networkidle' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    sentCalls.length = 0;
    for (const path of ['/login', '/register', '/contact']) await page.goto(path, { waitUntil: 'networkidle' });
    expect(sentCalls.length).toBeGreaterThan(0);
    expect(sentCalls.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    expect(unmarkedPaths()).toEqual([]);
  });

  test('the call for banners before a dialog also times out after 60 s [R-NET-02]', async ({ memberPage }) => {
    await openHome(memberPage);
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await memberPage.route('**/api/invite/banners', () => undefined);
    const bannersRequest = memberPage.waitForRequest('**/api/invite/banners');
    await memberPage.getByRole('button', { name: 'แนะนำเพื่อน' }).click();
    await bannersRequest;
    await memberPage.clock.fastForward(59_000);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    await expect(memberPage.getByRole('dialog', { name: 'แนะนำเพื่อน' })).toBeVisible();
  });

  test('a reload reads the wallet after refresh/slot has ended, also when the first read is slower [R-HOME-02]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 40);
    await acceptAgreement(memberPage);
    const { promise: balancesRefreshed, resolve: isRefreshed } = Promise.withResolvers<void>();
    const readPaths: string[] = [];
    await memberPage.route('**/api/wallet', async (route) => {
      const isFirst = readPaths.push('wallet') === 1;
      // The first read is in flight when the games reply, and returns the earlier balance.
      if (isFirst) await balancesRefreshed;
      // The app may have aborted this request for a later one.
      await route.continue().catch(() => undefined);
    });
    await memberPage.route('**/api/wallet/refresh/slot', async (route) => {
      const serverReply = await route.fetch();
      readPaths.push('refresh');
      await route.fulfill({ response: serverReply });
      isRefreshed();
    });
    await memberPage.goto('/user/home');
    await expect(totalBalanceText(memberPage, translatorFor('th'))).toHaveText('40.00');
    expect(readPaths.slice(0, 3)).toEqual(['wallet', 'refresh', 'wallet']);
  });
});

test.describe('pending and failed requests', () => {
  test('a loading indicator appears for a pending request only after 200 ms [R-NET-03]', async ({ memberPage }) => {
    await memberPage.goto('/user/statement');
    await expect(memberPage.getByText('ยังไม่มีรายการ')).toBeVisible();
    const { promise: readsReleased, resolve: releaseReads } = Promise.withResolvers<void>();
    await memberPage.route('**/api/statement', async (route) => {
      await readsReleased;
      await route.continue();
    });
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    const statementRequest = memberPage.waitForRequest('**/api/statement');
    await memberPage.getByRole('button', { name: 'โหลดรายการใหม่' }).click();
    await statementRequest;
    await advancePageClock(memberPage, 190);
    await expect(memberPage.getByRole('progressbar')).toHaveCount(0);
    await advancePageClock(memberPage, 20);
    await expect(memberPage.getByRole('progressbar')).toBeVisible();
    releaseReads();
    await memberPage.clock.resume();
    await expect(memberPage.getByRole('progressbar')).toHaveCount(0);
  });

  test("a failed call shows the translation of its code, or the server's text if there is none [R-NET-04]", async ({
    page,
    member,
    wire,
  }) => {
    wire.expectFault(/The tide is out is not declared/);
    const failureReplies = [
      [json({ message: 'LOGIN_FAIL' }, 500), translatorFor('th')('errors:errorMsg.LOGIN_FAIL')],
      [json({ message: 'The tide is out' }, 503), /^The tide is out$/],
    ] as const;
    for (const [failureReply, expectedText] of failureReplies) {
      await page.goto('/login');
      await page.route('**/api/login', (route) => route.fulfill(failureReply));
      await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page.getByRole('alert')).toHaveText(expectedText);
      await page.unroute('**/api/login');
    }
  });

  test('a toast is visible for four seconds [R-NET-07]', async ({ memberPage }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await memberPage.goto('/user/profile');
    const copyButton = memberPage.getByRole('button', { name: 'คัดลอก รหัสสมาชิก' });
    await expect(copyButton).toBeVisible();
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await copyButton.click();
    const copiedToast = memberPage.getByText('คัดลอกแล้ว:');
    await expect(copiedToast).toBeVisible();
    await memberPage.clock.runFor(3_900);
    await expect(copiedToast).toBeVisible();
    await memberPage.clock.runFor(200);
    await expect(copiedToast).toHaveCount(0);
  });

  test("an error dialog shows the server's message, translated if there is a translation [R-NET-07] [R-NET-04]", async ({
    memberPage,
    member,
    wire,
  }) => {
    wire.expectFault(/The tide is out is not declared/);
    const translate = translatorFor('th');
    await openGameAccount(member, 'pg');
    await fundWallet(member, 100);
    await openHome(memberPage);
    const failureDialog = memberPage.getByRole('dialog', { name: translate('transfer:failureTitle') });
    await memberPage.getByRole('button', { name: translate('home:transfer') }).click();
    const dialog = memberPage.getByRole('dialog', { name: translate('transfer:title') });
    await dialog.getByLabel(translate('transfer:amount')).fill('15');
    const failureReplies = [
      [{ message: 'The tide is out' }, ['The tide is out']],
      [{ message: 'TRANSFER_FAIL' }, [translate('errors:errorMsg.TRANSFER_FAIL')]],
      // Details from the server are shown beside the translation of the code.
      [
        { message: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' },
        [translate('errors:errorMsg.TRANSFER_FAIL'), translate('transfer:refused.PROVIDER_UNAVAILABLE')],
      ],
    ] as const;
    for (const [failureReply, expectedTexts] of failureReplies) {
      await memberPage.route('**/api/wallet/transfer', (route) => route.fulfill({ status: 502, json: failureReply }));
      await dialog.getByRole('button', { name: translate('transfer:submit'), exact: true }).click();
      await expect(failureDialog.getByRole('heading', { level: 2 })).toHaveText(translate('transfer:failureTitle'));
      for (const expectedSentence of expectedTexts) await expect(failureDialog).toContainText(expectedSentence);
      await failureDialog.getByRole('button', { name: translate('common:ok') }).click();
      await expect(failureDialog).toBeHidden();
      await memberPage.unroute('**/api/wallet/transfer');
    }
  });
});

test.describe('without a network', () => {
  test('without a network the app reports it and keeps the typed values, which can be sent once it is back [R-NET-09]', async ({
    page,
    context,
    member,
  }) => {
    await page.goto('/login');
    const logInButton = page.getByRole('button', { name: 'เข้าสู่ระบบ' });
    // The button is enabled once the app has loaded all its parts.
    await expect(logInButton).toBeEnabled();
    await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    await context.setOffline(true);
    await expect(page.getByText('ออฟไลน์อยู่')).toBeVisible();
    await logInButton.click();
    await expect(page.getByRole('alert').filter({ hasText: /./ }).first()).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText('ออฟไลน์อยู่')).toBeHidden();
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(member.phone);
    await expect(page.getByLabel('รหัสผ่าน', { exact: true })).toHaveValue(member.password);
    await logInButton.click();
    await expect(page).toHaveURL(/\/user\/home$/);
  });

  test('after a reconnection, money that arrived offline appears automatically, and forms are unchanged [R-NET-09]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGameAccount(member, 'pg');
    await fundWallet(member, 20);
    await openHome(memberPage);
    await expect(totalBalanceText(memberPage, translatorFor('th'))).toHaveText('20.00');
    await memberPage.getByRole('button', { name: 'โยกเงิน' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'โยกเงิน' });
    await dialog.getByLabel('จำนวนเงินที่จะโยก').fill('15');
    await context.setOffline(true);
    await expect(dialog.getByText('ออฟไลน์อยู่')).toBeVisible();
    await fundWallet(member, 30);
    // The text is shown only for a moment, so the wait starts before it appears.
    const onlineToast = expect(memberPage.getByText('กลับมาออนไลน์แล้ว')).toBeAttached();
    await context.setOffline(false);
    await expect(dialog.getByText('ออฟไลน์อยู่')).toBeHidden();
    await onlineToast;
    // A failed connection is retried after five seconds.
    await expect(dialog.getByText('โยกได้ ฿50.00')).toBeVisible({ timeout: 20_000 });
    await expect(dialog.getByLabel('จำนวนเงินที่จะโยก')).toHaveValue('15');
    await memberPage.keyboard.press('Escape');
    await expect(totalBalanceText(memberPage, translatorFor('th'))).toHaveText('50.00');
  });
});

test.describe('around a dialog', () => {
  test('the page behind a modal does not scroll, the focus stays inside, and Escape closes it [R-ROUTE-12]', async ({
    memberPage,
  }) => {
    await acceptAgreement(memberPage);
    await memberPage.setViewportSize({ width: 390, height: 500 });
    await memberPage.goto('/user/profile');
    const opener = memberPage.getByRole('button', { name: 'เงื่อนไข' });
    await expect(opener).toBeVisible();
    // The page has its final height once all content has loaded.
    const scrollOffset = (): Promise<number> =>
      memberPage.evaluate(() => {
        scrollTo(0, 120);
        return scrollY;
      });
    await expect(memberPage.locator('[aria-busy=true]')).toHaveCount(0);
    await expect.poll(scrollOffset).toBe(120);
    await opener.click();
    const dialog = memberPage.getByRole('dialog');
    await expect(dialog).toBeVisible();
    const elementBoxes = await memberPage.evaluate(() => [
      scrollY,
      document.querySelector('header')?.getBoundingClientRect().top,
    ]);
    expect(elementBoxes, 'the page and the bar over it stay where they were').toEqual([120, 0]);
    await expect(memberPage.locator('html')).toHaveCSS('overflow', 'hidden');
    for (let i = 0; i < 12; i += 1) {
      await memberPage.keyboard.press('Tab');
      const isInside = await memberPage.evaluate(
        () => document.activeElement === document.body || document.activeElement?.closest('dialog') !== null,
      );
      expect(isInside).toBe(true);
    }
    await memberPage.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
    await expect(memberPage.locator('html')).not.toHaveCSS('overflow', 'hidden');
    await expect(opener).toBeFocused();
  });

  test('the offline banner is visible over an open dialog and covers none of its content', async ({
    memberPage,
    context,
  }) => {
    await acceptAgreement(memberPage);
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const dialog = memberPage.getByRole('dialog');
    await expect(dialog.getByRole('heading').first()).toBeVisible();
    await context.setOffline(true);
    const offlineText = dialog.getByText('ออฟไลน์อยู่');
    await expect(offlineText).toBeInViewport({ ratio: 1 });
    for (const size of [
      { width: 390, height: 500 },
      { width: 1280, height: 800 },
    ]) {
      await memberPage.setViewportSize(size);
      const isOnTop = () =>
        offlineText.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        });
      await expect.poll(isOnTop).toBe(true);
      const bannerOverlap = async (): Promise<number> => {
        const [banner, heading] = await Promise.all([
          offlineText.boundingBox(),
          dialog.getByRole('heading').first().boundingBox(),
        ]);
        return (banner?.y ?? 0) + (banner?.height ?? 0) - (heading?.y ?? 0);
      };
      await expect.poll(bannerOverlap).toBeLessThanOrEqual(0);
    }
    await context.setOffline(false);
    await expect(offlineText).toHaveCount(0);
    await expect(dialog).toBeVisible();
  });

  test('a sheet that slides in keeps its position when a field inside receives the focus', async ({ memberPage }) => {
    await acceptAgreement(memberPage);
    await memberPage.goto('/user/profile');
    const session = await memberPage.context().newCDPSession(memberPage);
    await session.send('Animation.enable');
    await session.send('Animation.setPlaybackRate', { playbackRate: 0.001 });
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const dialog = memberPage.getByRole('dialog');
    await expect(dialog).toBeAttached();
    expect(await dialog.evaluate((element) => element.scrollTop)).toBe(0);
    await session.send('Animation.setPlaybackRate', { playbackRate: 1 });
    await memberPage.keyboard.press('Escape');
    await expect(dialog).toHaveCount(0);
  });
});
