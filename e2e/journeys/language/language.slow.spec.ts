import { openHomeAndAgree, openHomeUntilAgreementIsDue } from '../../support/home.ts';
import { fundWallet } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

/** And some, for the page to open in. */
const FIVE_MINUTES_MS = 5 * 60_000 + 10_000;

test.describe('language and formats', () => {
  test("Thai is the default; a chosen language is stored and sets the cookie and the page's language [R-I18N-01] [R-KEY-01]", async ({
    page,
    context,
  }) => {
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', 'th');
    const readLanguageCookie = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    // From the first visit on, before anything is chosen.
    await expect.poll(readLanguageCookie).toBe('TH');
    expect(await page.evaluate(() => localStorage.getItem('locale'))).toBeNull();
    const languageCodes = { la: ['lo', 'LA'], en: ['en', 'EN'], th: ['th', 'TH'] } as const;
    for (const [locale, [htmlLanguage, cookie]] of Object.entries(languageCodes)) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect(page.locator('html')).toHaveAttribute('lang', htmlLanguage);
      await expect.poll(() => page.evaluate(() => localStorage.getItem('locale'))).toBe(locale);
      await expect.poll(readLanguageCookie).toBe(cookie);
      await page.reload();
      await expect(page.locator('html')).toHaveAttribute('lang', htmlLanguage);
    }
  });

  test('the stored language takes precedence over the cookie and rewrites it; an unknown value is ignored [R-I18N-01]', async ({
    page,
    context,
  }) => {
    const readCookie = async () => (await context.cookies()).find(({ name }) => name === 'language')?.value;
    await page.goto('/icon.svg');
    for (const [storedLocale, htmlLanguage, cookie] of [
      ['en', 'en', 'EN'],
      ['la', 'lo', 'LA'],
      ['th', 'th', 'TH'],
      ['fr', 'th', 'TH'],
    ] as const) {
      await page.evaluate((value) => localStorage.setItem('locale', value), storedLocale);
      const otherCookie = cookie === 'EN' ? 'LA' : 'EN';
      await context.addCookies([{ name: 'language', value: otherCookie, url: page.url() }]);
      await page.goto('/login');
      await expect(page.locator('html')).toHaveAttribute('lang', htmlLanguage);
      await expect.poll(readCookie).toBe(cookie);
      expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe(storedLocale);
    }
  });

  test('a language chosen in the top bar is stored, sets the cookie, and applies immediately [R-I18N-01]', async ({
    memberPage: page,
    context,
  }) => {
    await page.goto('/user/profile');
    for (const [locale, htmlLanguage, cookie] of [
      ['la', 'lo', 'LA'],
      ['en', 'en', 'EN'],
      ['th', 'th', 'TH'],
    ] as const) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect(page.locator('html')).toHaveAttribute('lang', htmlLanguage);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(translatorFor(locale)('profile:title'));
      await expect.poll(() => page.evaluate(() => localStorage.getItem('locale'))).toBe(locale);
      await expect
        .poll(async () => (await context.cookies()).find(({ name }) => name === 'language')?.value)
        .toBe(cookie);
    }
  });
});

test.describe('a chosen language', () => {
  test('a chosen language applies from the first paint, also on a prerendered page [R-I18N-01]', async ({ page }) => {
    await page.goto('/no-such-page');
    await page.getByRole('combobox').selectOption('la');
    await expect(page.locator('html')).toHaveAttribute('lang', 'lo');
    // Records the visible texts of each frame just before painting.
    await page.addInitScript(() => {
      const shownTexts = new Set<string>();
      Object.assign(globalThis, { shown: shownTexts });
      const recordTexts = (): void => {
        const heading = document.querySelector('h1');
        if (heading?.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
          shownTexts.add(`${document.documentElement.lang}: ${heading.textContent}`);
        requestAnimationFrame(recordTexts);
      };
      requestAnimationFrame(recordTexts);
    });
    for (const [path, heading] of [
      ['/login', 'ເຂົ້າສູ່ລະບົບ'],
      ['/register', 'ສະໝັກສະມາຊິກ'],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      const readShownTexts = () => page.evaluate(() => [...(globalThis as unknown as { shown: Set<string> }).shown]);
      await expect.poll(readShownTexts).toContain(`lo: ${heading}`);
      await page.waitForLoadState('networkidle');
      expect(await readShownTexts()).toEqual([`lo: ${heading}`]);
    }
  });

  test('a language chosen before hydration is kept, and nothing is sent until then [R-I18N-01]', async ({ page }) => {
    const { promise: isLet, resolve: letThrough } = Promise.withResolvers<void>();
    await page.route(/assets\/register-page-[\w-]{8}\.js$/, async (route) => {
      await isLet;
      await route.continue();
    });
    await page.goto('/register', { waitUntil: 'commit' });
    await page.getByRole('combobox').selectOption('la');
    const submitButton = page.locator('button[type=submit]');
    await expect(submitButton).toBeDisabled();
    letThrough();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('ສະໝັກສະມາຊິກ');
    await expect(submitButton).toBeEnabled();
    expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe('la');
  });

  test('an agreement accepted in one language is not shown again in another [R-HOME-05]', async ({
    memberPage: page,
  }) => {
    await openHomeAndAgree(page);
    for (const language of ['la', 'en'] as const) {
      const texts = page.waitForResponse('**/api/lookup/agreements');
      await page.getByRole('banner').getByRole('combobox').selectOption(language);
      expect(await (await texts).json()).not.toHaveLength(0);
      await openHomeUntilAgreementIsDue(page);
      await expect(page.getByRole('dialog')).toHaveCount(0);
      await page.clock.resume();
    }
  });

  test('money has two decimals and separators, and relative times are worded in each language [R-FMT-01]', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 12_345);
    // The server's clock determines the age of a movement, not the phone's clock.
    await memberPage.route('**/api/statement', async (route) => {
      const response = await route.fetch();
      const reply = (await response.json()) as { statements: { createdAt: string }[] };
      const createdAt = new Date(Date.now() - FIVE_MINUTES_MS).toISOString();
      await route.fulfill({
        response,
        json: { ...reply, statements: reply.statements.map((statement) => ({ ...statement, createdAt })) },
      });
    });
    await acceptAgreement(memberPage);
    const minutesAgoTexts = { th: '5 นาทีที่แล้ว', la: '5 ນາທີກ່ອນ', en: '5 minutes ago' };
    for (const [locale, expectedText] of Object.entries(minutesAgoTexts)) {
      await memberPage.goto('/user/profile');
      await memberPage.evaluate((value) => localStorage.setItem('locale', value), locale);
      await memberPage.goto('/user/statement');
      await expect(memberPage.getByText('+12,345.00')).toBeVisible();
      await expect(memberPage.locator('time')).toHaveText(expectedText);
    }
  });
});
