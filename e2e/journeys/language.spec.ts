import { fund } from '../support/money.ts';
import { acceptAgreement, expect, test } from '../support/test.ts';

test.describe('language and formats', () => {
  test('Thai comes first; a choice is stored, sets the cookie and the page’s language, and stays [R-I18N-01] [R-KEY-01]', async ({
    page,
    context,
  }) => {
    await page.goto('/login');
    await expect(page.locator('html')).toHaveAttribute('lang', 'th');
    expect(await page.evaluate(() => localStorage.getItem('locale'))).toBeNull();
    const choices = { la: ['lo', 'LA'], en: ['en', 'EN'], th: ['th', 'TH'] } as const;
    for (const [locale, [lang, cookie]] of Object.entries(choices)) {
      await page.getByRole('banner').getByRole('combobox').selectOption(locale);
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
      expect(await page.evaluate(() => localStorage.getItem('locale'))).toBe(locale);
      expect((await context.cookies()).find(({ name }) => name === 'language')?.value).toBe(cookie);
      await page.reload();
      await expect(page.locator('html')).toHaveAttribute('lang', lang);
    }
  });

  test('a stored language is spoken from the first paint, also where the page is prerendered [R-I18N-01]', async ({
    page,
  }) => {
    await page.goto('/no-such-page');
    await page.evaluate(() => localStorage.setItem('locale', 'la'));
    for (const [path, heading] of [
      ['/login', 'ເຂົ້າສູ່ລະບົບ'],
      ['/register', 'ສະໝັກສະມາຊິກ'],
    ] as const) {
      await page.goto(path);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    }
  });

  test('money has two decimals and separators, times count back in each language [R-FMT-01]', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 12_345);
    await acceptAgreement(memberPage);
    const minutes = { th: '5 นาทีที่แล้ว', la: '5 ນາທີກ່ອນ', en: '5 minutes ago' };
    for (const [locale, words] of Object.entries(minutes)) {
      await memberPage.goto('/user/profile');
      await memberPage.evaluate((value) => localStorage.setItem('locale', value), locale);
      await memberPage.clock.install({ time: Date.now() + 5 * 60_000 + 5_000 });
      await memberPage.goto('/user/statement');
      await expect(memberPage.getByText('+12,345.00')).toBeVisible();
      await expect(memberPage.locator('time')).toHaveText(words);
    }
  });
});
