import type { Page } from '@playwright/test';
import { api } from '../../support/member.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

test.use({ viewport: { width: 390, height: 844 } });

/** Sum of the page's layout shifts so far. */
const layoutShift = (page: Page): Promise<number> =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += (entry as unknown as { value: number }).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => resolve(sum), 200);
      }),
  );

test('the registration page names the inviter, by member code and by PR and id, in three languages, without a layout shift', async ({
  page,
  member,
}) => {
  const { body } = await api<{ profile: { memberCode: string } }>('GET', '/api/wallet', { token: member.token });
  for (const [language, code] of [
    ['th', body.profile.memberCode],
    ['la', `PR${member.id}`],
    ['en', body.profile.memberCode.toLowerCase()],
  ] as const) {
    const words = translatorFor(language);
    await page.goto('/icon.svg');
    await page.evaluate((locale) => localStorage.setItem('locale', locale), language);
    await page.goto(`/register?code=${code}`);
    // Only the first name and an initial of a person who is not logged in.
    await expect(page.getByText(words('register:invitedBy', { name: 'สมหญิง ท.' }))).toBeVisible();
    await expect(page.getByRole('main')).not.toContainText('ทดสอบ');
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.02);
    await page.setViewportSize({ width: 320, height: 568 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 390, height: 844 });
  }
});

test('the registration page shows no inviter for an unknown code, a failed look-up or no code', async ({ page }) => {
  const translate = translatorFor('th');
  const phone = page.getByLabel(translate('register:phone'));
  await page.goto('/register');
  await expect(phone).toBeVisible();
  const top = (await phone.boundingBox())?.y;
  for (const code of ['00000000', '<b>x</b>', 'x'.repeat(200)]) {
    const reply = page.waitForResponse('**/api/invite/inviter/*');
    await page.goto(`/register?code=${encodeURIComponent(code)}`);
    await reply;
    await expect(phone).toBeVisible();
    await expect(page.locator('main').getByRole('status')).toHaveText('');
    expect((await phone.boundingBox())?.y).toBe(top);
  }
  await page.route('**/api/invite/inviter/*', (route) => route.abort());
  await page.goto('/register?code=00000000');
  await expect(phone).toBeVisible();
  await expect(page.locator('[data-toast]')).toHaveCount(0);
});
