import { openHome } from '../../support/home.ts';
import { lapse } from '../../support/lapse.ts';
import { fund, openGame } from '../../support/money.ts';
import { acceptAgreement, expect, MOVING, test } from '../../support/test.ts';
import { total } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const json = (body: unknown, status = 200) => ({ status, contentType: 'application/json', body: JSON.stringify(body) });

test.use(MOVING);

test.describe('talking to the server', () => {
  test('calls carry the token and the marker, and give up after 60 s [R-NET-02]', async ({ memberPage, member }) => {
    const asked = memberPage.waitForRequest('**/api/statement');
    await memberPage.goto('/user/statement');
    const headers = await (await asked).allHeaders();
    expect(headers['authorization']).toBe(`Bearer ${member.token}`);
    expect(headers['x-requested-with']).toBe('XMLHttpRequest');
    await memberPage.goto('/login');
    await expect(memberPage.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true })).toBeEnabled();
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await memberPage.route('**/api/login', () => undefined);
    await memberPage.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await memberPage.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    const sent = memberPage.waitForRequest('**/api/login');
    await memberPage.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
    expect((await (await sent).allHeaders())['authorization']).toBeUndefined();
    await memberPage.clock.fastForward(59_000);
    await expect(memberPage.getByRole('alert')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    // A visitor has no statement to look at.
    await expect(memberPage.getByRole('alert')).toHaveText('เซิร์ฟเวอร์ตอบช้ากว่าปกติ ลองอีกครั้งในอีกสักครู่');
  });

  test('every call of a member carries both, on every page; a visitor’s carries the marker alone [R-NET-02]', async ({
    memberPage: page,
    member,
  }) => {
    const calls: { path: string; marker: string | undefined; authorization: string | undefined }[] = [];
    page.on('request', (request) => {
      const path = new URL(request.url()).pathname;
      const headers = request.headers();
      if (path.startsWith('/api/'))
        calls.push({ path, marker: headers['x-requested-with'], authorization: headers['authorization'] });
    });
    await acceptAgreement(page);
    const bare = (): string[] => calls.filter(({ marker }) => marker !== 'XMLHttpRequest').map(({ path }) => path);
    for (const screen of ['home', 'profile', 'bonus', 'statement', 'contact', 'spin']) {
      await page.goto(`/user/${screen}`, { waitUntil: 'networkidle' });
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    }
    const asked = new Set(calls.map(({ path }) => path));
    for (const path of ['/api/wallet', '/api/account/profile', '/api/bonus', '/api/statement', '/api/lookup/contact'])
      expect([...asked]).toContain(path);
    expect(calls.filter(({ authorization }) => authorization !== `Bearer ${member.token}`)).toEqual([]);
    expect(bare()).toEqual([]);

    await page.goto('/contact', { waitUntil: 'networkidle' });
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    calls.length = 0;
    for (const path of ['/login', '/register', '/contact']) await page.goto(path, { waitUntil: 'networkidle' });
    expect(calls.length).toBeGreaterThan(0);
    expect(calls.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
    expect(bare()).toEqual([]);
  });

  test('banners before a dialog are waited for as long as any answer, 60 s [R-NET-02]', async ({ memberPage }) => {
    await openHome(memberPage);
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await memberPage.route('**/api/invite/banners', () => undefined);
    const asked = memberPage.waitForRequest('**/api/invite/banners');
    await memberPage.getByRole('button', { name: 'แนะนำเพื่อน' }).click();
    await asked;
    await memberPage.clock.fastForward(59_000);
    await expect(memberPage.getByRole('dialog')).toHaveCount(0);
    await memberPage.clock.fastForward(2_000);
    await expect(memberPage.getByRole('dialog', { name: 'แนะนำเพื่อน' })).toBeVisible();
  });

  test('a reload always reads the wallet after refresh/slot, also when the first read is slower [R-HOME-02]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 40);
    await acceptAgreement(memberPage);
    const { promise: refreshed, resolve: isRefreshed } = Promise.withResolvers<void>();
    const reads: string[] = [];
    await memberPage.route('**/api/wallet', async (route) => {
      const isFirst = reads.push('wallet') === 1;
      // The first read is in flight when the games reply, and returns the earlier balance.
      if (isFirst) await refreshed;
      // The app may have given it up for a later one.
      await route.continue().catch(() => undefined);
    });
    await memberPage.route('**/api/wallet/refresh/slot', async (route) => {
      const answer = await route.fetch();
      reads.push('refresh');
      await route.fulfill({ response: answer });
      isRefreshed();
    });
    await memberPage.goto('/user/home');
    await expect(total(memberPage, speaking('th'))).toHaveText('40.00');
    expect(reads.slice(0, 3)).toEqual(['wallet', 'refresh', 'wallet']);
  });
});

test.describe('pending and failed requests', () => {
  test('a loader shows for a pending request, but only after 200 ms [R-NET-03]', async ({ memberPage }) => {
    await memberPage.goto('/user/statement');
    await expect(memberPage.getByText('ยังไม่มีรายการ')).toBeVisible();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await memberPage.route('**/api/statement', async (route) => {
      await held;
      await route.continue();
    });
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    const asked = memberPage.waitForRequest('**/api/statement');
    await memberPage.getByRole('button', { name: 'โหลดรายการใหม่' }).click();
    await asked;
    await lapse(memberPage, 190);
    await expect(memberPage.getByRole('progressbar')).toHaveCount(0);
    await lapse(memberPage, 20);
    await expect(memberPage.getByRole('progressbar')).toBeVisible();
    release();
    await memberPage.clock.resume();
    await expect(memberPage.getByRole('progressbar')).toHaveCount(0);
  });

  test('a failure speaks its translation, or what the server said when there is none [R-NET-04]', async ({
    page,
    member,
    wire,
  }) => {
    wire.expectFault(/The tide is out is not declared/);
    const answers = [
      [json({ message: 'LOGIN_FAIL' }, 500), speaking('th')('errors:errorMsg.LOGIN_FAIL')],
      [json({ message: 'The tide is out' }, 503), /^The tide is out$/],
    ] as const;
    for (const [answer, words] of answers) {
      await page.goto('/login');
      await page.route('**/api/login', (route) => route.fulfill(answer));
      await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
      await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
      await page.getByRole('button', { name: 'เข้าสู่ระบบ', exact: true }).click();
      await expect(page.getByRole('alert')).toHaveText(words);
      await page.unroute('**/api/login');
    }
  });

  test('a toast stays four seconds [R-NET-07]', async ({ memberPage }) => {
    await memberPage.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await memberPage.goto('/user/profile');
    const copy = memberPage.getByRole('button', { name: 'คัดลอก รหัสสมาชิก' });
    await expect(copy).toBeVisible();
    await memberPage.clock.install();
    await memberPage.clock.pauseAt(Date.now() + 30_000);
    await copy.click();
    const toast = memberPage.getByText('คัดลอกแล้ว:');
    await expect(toast).toBeVisible();
    await memberPage.clock.runFor(3_900);
    await expect(toast).toBeVisible();
    await memberPage.clock.runFor(200);
    await expect(toast).toHaveCount(0);
  });

  test('a popup has an error title and the server’s message: its translation, or as it came [R-NET-07] [R-NET-04]', async ({
    memberPage,
    member,
    wire,
  }) => {
    wire.expectFault(/The tide is out is not declared/);
    const say = speaking('th');
    await openGame(member, 'pg');
    await fund(member, 100);
    await openHome(memberPage);
    const failure = memberPage.getByRole('dialog', { name: say('transfer:failureTitle') });
    await memberPage.getByRole('button', { name: say('home:transfer') }).click();
    const dialog = memberPage.getByRole('dialog', { name: say('transfer:title') });
    await dialog.getByLabel(say('transfer:amount')).fill('15');
    const answers = [
      [{ message: 'The tide is out' }, ['The tide is out']],
      [{ message: 'TRANSFER_FAIL' }, [say('errors:errorMsg.TRANSFER_FAIL')]],
      // Details from the server are shown beside the translation of the code.
      [
        { message: 'TRANSFER_FAIL', detail: 'PROVIDER_UNAVAILABLE' },
        [say('errors:errorMsg.TRANSFER_FAIL'), say('transfer:refused.PROVIDER_UNAVAILABLE')],
      ],
    ] as const;
    for (const [answer, words] of answers) {
      await memberPage.route('**/api/wallet/transfer', (route) => route.fulfill({ status: 502, json: answer }));
      await dialog.getByRole('button', { name: say('transfer:submit'), exact: true }).click();
      await expect(failure.getByRole('heading', { level: 2 })).toHaveText(say('transfer:failureTitle'));
      for (const sentence of words) await expect(failure).toContainText(sentence);
      await failure.getByRole('button', { name: say('common:ok') }).click();
      await expect(failure).toBeHidden();
      await memberPage.unroute('**/api/wallet/transfer');
    }
  });
});

test.describe('without a network', () => {
  test('without a network the app says so, keeps what was typed, and what could not be sent goes the next time [R-NET-09]', async ({
    page,
    context,
    member,
  }) => {
    await page.goto('/login');
    const logIn = page.getByRole('button', { name: 'เข้าสู่ระบบ' });
    // Not before the app has all that it is made of.
    await expect(logIn).toBeEnabled();
    await page.getByLabel('เบอร์โทรศัพท์').fill(member.phone);
    await page.getByLabel('รหัสผ่าน', { exact: true }).fill(member.password);
    await context.setOffline(true);
    await expect(page.getByText('ออฟไลน์อยู่')).toBeVisible();
    await logIn.click();
    await expect(page.getByRole('alert').filter({ hasText: /./ }).first()).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText('ออฟไลน์อยู่')).toBeHidden();
    await expect(page.getByLabel('เบอร์โทรศัพท์')).toHaveValue(member.phone);
    await expect(page.getByLabel('รหัสผ่าน', { exact: true })).toHaveValue(member.password);
    await logIn.click();
    await expect(page).toHaveURL(/\/user\/home$/);
  });

  test('back on line the money that came meanwhile shows by itself, and a form stands as it was left [R-NET-09]', async ({
    memberPage,
    member,
    context,
  }) => {
    await openGame(member, 'pg');
    await fund(member, 20);
    await openHome(memberPage);
    await expect(total(memberPage, speaking('th'))).toHaveText('20.00');
    await memberPage.getByRole('button', { name: 'โยกเงิน' }).click();
    const dialog = memberPage.getByRole('dialog', { name: 'โยกเงิน' });
    await dialog.getByLabel('จำนวนเงินที่จะโยก').fill('15');
    await context.setOffline(true);
    await expect(dialog.getByText('ออฟไลน์อยู่')).toBeVisible();
    await fund(member, 30);
    // Said for a moment only: looked for from before it comes.
    const shown = expect(memberPage.getByText('กลับมาออนไลน์แล้ว')).toBeAttached();
    await context.setOffline(false);
    await expect(dialog.getByText('ออฟไลน์อยู่')).toBeHidden();
    await shown;
    // A failed connection is retried after five seconds.
    await expect(dialog.getByText('โยกได้ ฿50.00')).toBeVisible({ timeout: 20_000 });
    await expect(dialog.getByLabel('จำนวนเงินที่จะโยก')).toHaveValue('15');
    await memberPage.keyboard.press('Escape');
    await expect(total(memberPage, speaking('th'))).toHaveText('50.00');
  });
});

test.describe('around a dialog', () => {
  test('the page behind a modal doesn’t scroll, focus stays in it, Escape closes it [R-ROUTE-12]', async ({
    memberPage,
  }) => {
    await acceptAgreement(memberPage);
    await memberPage.setViewportSize({ width: 390, height: 500 });
    await memberPage.goto('/user/profile');
    const opener = memberPage.getByRole('button', { name: 'เงื่อนไข' });
    await expect(opener).toBeVisible();
    // The page has its length once what it shows is there.
    const scrolled = (): Promise<number> =>
      memberPage.evaluate(() => {
        scrollTo(0, 120);
        return scrollY;
      });
    await expect(memberPage.locator('[aria-busy=true]')).toHaveCount(0);
    await expect.poll(scrolled).toBe(120);
    await opener.click();
    const dialog = memberPage.getByRole('dialog');
    await expect(dialog).toBeVisible();
    const places = await memberPage.evaluate(() => [
      scrollY,
      document.querySelector('header')?.getBoundingClientRect().top,
    ]);
    expect(places, 'the page and the bar over it stay where they were').toEqual([120, 0]);
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

  test('that the line is gone is read over an open dialog, too, and doesn’t cover what stands in it', async ({
    memberPage,
    context,
  }) => {
    await acceptAgreement(memberPage);
    await memberPage.goto('/user/profile');
    await memberPage.getByRole('button', { name: 'เงื่อนไข' }).click();
    const dialog = memberPage.getByRole('dialog');
    await expect(dialog.getByRole('heading').first()).toBeVisible();
    await context.setOffline(true);
    const words = dialog.getByText('ออฟไลน์อยู่');
    await expect(words).toBeInViewport({ ratio: 1 });
    for (const size of [
      { width: 390, height: 500 },
      { width: 1280, height: 800 },
    ]) {
      await memberPage.setViewportSize(size);
      const isOnTop = () =>
        words.evaluate((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        });
      await expect.poll(isOnTop).toBe(true);
      const overlap = async (): Promise<number> => {
        const [banner, heading] = await Promise.all([
          words.boundingBox(),
          dialog.getByRole('heading').first().boundingBox(),
        ]);
        return (banner?.y ?? 0) + (banner?.height ?? 0) - (heading?.y ?? 0);
      };
      await expect.poll(overlap).toBeLessThanOrEqual(0);
    }
    await context.setOffline(false);
    await expect(words).toHaveCount(0);
    await expect(dialog).toBeVisible();
  });

  test('a sheet rises from below the edge: what takes the focus in it doesn’t lift it off its place', async ({
    memberPage,
  }) => {
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
