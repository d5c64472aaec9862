import { fits } from '../../support/accessible.ts';
import { fund } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { memberPages, publicPages, registerSteps } from '../../support/tour.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

// Faults that a machine can find, and 320 pixels, are looked at on the tours of languages.spec.ts.
test.describe('at 195 pixels, what is left of a phone’s page at twice its size', () => {
  test.use({ viewport: { width: 195, height: 422 } });
  test.beforeEach(() => test.setTimeout(240_000));

  test('no public page, and no step of registering, has to be scrolled sideways', async ({ page }) => {
    await publicPages(page, say, fits);
    await registerSteps(page, say, fits);
  });

  test('no page of the member and no dialog has to be scrolled sideways', async ({ memberPage, member }) => {
    await memberPages(memberPage, say, member, fits);
  });
});

test('at twice its size nothing is lost or has to be scrolled sideways', async ({ browser, memberPage, member }) => {
  await fund(member, 123_456.5);
  // A window of 780 pixels at 200 %: half the room for the page, each of its pixels twice as large.
  const zoomed = await browser.newContext({
    viewport: { width: 390, height: 422 },
    deviceScaleFactor: 2,
    storageState: await memberPage.context().storageState(),
  });
  const page = await zoomed.newPage();
  await acceptAgreement(page);
  for (const path of [
    '/user/home',
    '/user/bonus',
    '/user/statement',
    '/user/profile',
    '/user/contact',
    '/user/howto',
  ]) {
    await page.goto(new URL(path, memberPage.url()).href);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await fits(page, path);
    const menu = page.getByRole('navigation', { name: say('common:menu.label') });
    await expect(menu.getByRole('link', { name: say('common:menu.home') })).toBeInViewport();
  }
  await zoomed.close();
});
