import { expect, test } from '../../support/test.ts';
import { speaking } from '../../support/words.ts';

const tellAll = (['th', 'la', 'en'] as const).map((language) => speaking(language));

/** Removes one feature that an oldest supported browser introduced. Runs in the page. */
const lacks = {
  'Safari 16.3 or Firefox 127': () => Reflect.deleteProperty(CSS, 'registerProperty'),
  'Chrome 110': () => Object.assign(CSS, { supports: () => false }),
  'Safari 15': () => Reflect.deleteProperty(AbortSignal, 'timeout'),
};

for (const [browser, remove] of Object.entries(lacks)) {
  test(`like ${browser} gets a notice in three languages at the address that was asked for, and no dead page`, async ({
    page,
  }) => {
    await page.addInitScript(remove);
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    for (const address of ['/login', '/register?code=PR1', '/unknown/address']) {
      await page.goto(address);
      for (const say of tellAll) {
        await expect(page.getByRole('heading', { name: say('site:oldBrowser.title') })).toBeVisible();
        await expect(page.getByText(say('site:oldBrowser.text'))).toBeVisible();
      }
      await expect(page.getByRole('button')).toHaveCount(0);
      expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(address);
    }
    expect(failures).toEqual([]);
  });
}
