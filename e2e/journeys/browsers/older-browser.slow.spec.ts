import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';

const translators = (['th', 'la', 'en'] as const).map((language) => translatorFor(language));

/** Each entry removes one feature that a minimum browser version introduced. Runs in the page. */
const missingFeatures = {
  'Safari 16.3 or Firefox 127': () => Reflect.deleteProperty(CSS, 'registerProperty'),
  'Chrome 110': () => Object.assign(CSS, { supports: () => false }),
  'Safari 15': () => Reflect.deleteProperty(AbortSignal, 'timeout'),
};

for (const [browser, remove] of Object.entries(missingFeatures)) {
  test(`an outdated browser like ${browser} sees a notice in three languages at the requested address, not an empty page`, async ({
    page,
  }) => {
    await page.addInitScript(remove);
    const pageErrors: string[] = [];
    page.on('pageerror', ({ message }) => pageErrors.push(message));
    for (const address of ['/login', '/register?code=PR1', '/unknown/address']) {
      await page.goto(address);
      for (const translate of translators) {
        await expect(page.getByRole('heading', { name: translate('site:oldBrowser.title') })).toBeVisible();
        await expect(page.getByText(translate('site:oldBrowser.text'))).toBeVisible();
      }
      await expect(page.getByRole('button')).toHaveCount(0);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(address);
    }
    expect(pageErrors).toEqual([]);
  });
}
