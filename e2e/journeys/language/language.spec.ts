import { openHomeAndAgree, passQuestion } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

/** And some, for the page to open in. */
const FIVE_MINUTES_MS = 5 * 60_000 + 10_000;

test.describe('language and formats', () => {
  test('Thai comes first; a choice is stored, sets the cookie and the page’s language, and stays [R-I18N-01] [R-KEY-01]', async ({
    page,
    context,
  }) => {
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', 'th');
    const cookieNow = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    // From the first visit on, before anything is chosen.
    await expect.poll(cookieNow).toBe('TH');
    expect(await page.evaluate(() => localStorage.getItem('locale'))).toBeNull();
    const choices = { la: ['lo', 'LA'], en: ['en', 'EN'], th: ['th', 'TH'] } as const;
    for (const [locale, [lang, cookie]] of Object.entries(choices)) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      await expect.poll(() => page.evaluate(() => localStorage.getItem('locale'))).toBe(locale);
      await expect.poll(cookieNow).toBe(cookie);
      await page.reload();
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
    }
  });

  test('the stored language wins over the cookie, which is set again; an unknown value is ignored [R-I18N-01]', async ({
    page,
    context,
  }) => {
    const cookieNow = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    await page.goto('/icon.svg');
    for (const [stored, lang, cookie] of [
      ['en', 'en', 'EN'],
      ['la', 'lo', 'LA'],
      ['th', 'th', 'TH'],
      ['fr', 'th', 'TH'],
    ] as const) {
      await page.evaluate((value) => localStorage.setItem('locale', value), stored);
      const other = cookie === 'EN' ? 'LA' : 'EN';
      await context.addCookies([{ name: 'language', value: other, url: page.url() }]);
      await page.goto('/login');
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      await expect.poll(cookieNow).toBe(cookie);
      expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe(stored);
    }
  });

  test('a member’s choice in the bar on top is stored, sets the cookie, and is spoken at once [R-I18N-01]', async ({
    memberPage: page,
    context,
  }) => {
    await page.goto('/user/profile');
    for (const [locale, lang, cookie] of [
      ['la', 'lo', 'LA'],
      ['en', 'en', 'EN'],
      ['th', 'th', 'TH'],
    ] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(speaking(locale)('profile:title'));
      await expect.poll(() => page.evaluate(() => localStorage.getItem('locale'))).toBe(locale);
      await expect
        .poll(async () => (await context.cookies()).find(({ name }) => name === 'language')?.value)
        .toBe(cookie);
    }
  });
});

test.describe('a chosen language', () => {
  test('a language that was chosen is spoken from the first paint, also where the page is prerendered [R-I18N-01]', async ({
    page,
  }) => {
    await page.goto('/no-such-page');
    await page.getByRole('combobox').selectOption('la');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    // What each frame shows, just before it is painted.
    await page.addInitScript(() => {
      const shown = new Set<string>();
      Object.assign(globalThis, { shown });
      const look = (): void => {
        const heading = document.querySelector('h1');
        if (heading?.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          shown.add(`${document.documentElement.lang}: ${heading.textContent}`);
        requestAnimationFrame(look);
      };
      requestAnimationFrame(look);
    });
    for (const [path, heading] of [
      ['/login', 'ເຂົ້າສູ່ລະບົບ'],
      ['/register', 'ສະໝັກສະມາຊິກ'],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      const shown = () => page.evaluate(() => [...(globalThis as unknown as { shown: Set<string> }).shown]);
      await expect.poll(shown).toContain(`lo: ${heading}`);
      await page.waitForLoadState('networkidle');
      expect(await shown()).toEqual([`lo: ${heading}`]);
    }
  });

  test('a language that is chosen before a prerendered page has come to life is kept, and nothing is sent until then [R-I18N-01]', async ({
    page,
  }) => {
    const { promise: isLet, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route(/assets\/register-page-[\w-]{8}\.js$/, async (route) => {
      await isLet;
      await route.continue();
    });
    await page.goto('/register', { waitUntil: 'commit' });
    await page.getByRole('combobox').selectOption('la');
    const next = page.locator('button[type=submit]');
    await expect(next).toBeDisabled();
    letThrough();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('ສະໝັກສະມາຊິກ');
    await expect(next).toBeEnabled();
    expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe('la');
  });

  test('agreements that were accepted in one language are not asked for in another [R-HOME-05]', async ({
    memberPage: page,
  }) => {
    await openHomeAndAgree(page);
    for (const language of ['la', 'en'] as const) {
      const texts = page.waitForResponse('**/api/lookup/agreements');
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      expect(await (await texts).json()).not.toHaveLength(0);
      await passQuestion(page);
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.clock.resume();
    }
  });

  test('money has two decimals and separators, times count back in each language [R-FMT-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 12_345);
    // The server's clock counts, not the phone's: it is the movement that is older.
    await memberPage.route('**/api/statement', async (route) => {
      const response = await route.fetch();
      const reply = (await response.json()) as { statements: { createdAt: string }[] };
      const createdAt = new Date(Date.now() - FIVE_MINUTES_MS).toISOString();
      await route.fulfill({
        response,
        json: { ...reply, statements: reply.statements.map((one) => ({ ...one, createdAt })) },
      });
    });
    await acceptAgreement(memberPage);
    const minutes = { th: '5 นาทีที่แล้ว', la: '5 ນາທີກ່ອນ', en: '5 minutes ago' };
    for (const [locale, words] of Object.entries(minutes)) {
      await memberPage.goto('/user/profile');
      await memberPage.evaluate((value) => localStorage.setItem('locale', value), locale);
      await memberPage.goto('/user/statement');
      await expect(memberPage.getByText('+12,345.00')).toBeVisible();
      await expect(memberPage.locator('time')).toHaveText(words);
    }
  });
});
