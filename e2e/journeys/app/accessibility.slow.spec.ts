import { fits, wholeWords } from '../../support/accessible.ts';
import { fund, openGame, transfer } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { memberPages, publicPages, registerSteps } from '../../support/tour.ts';
import { button, card, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');

// The tours of languages.slow.spec.ts check automatically detectable faults and a width of 320 pixels.
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

test('with text at 200 % no word is broken into letters', async ({ memberPage: page, member }) => {
  test.setTimeout(240_000);
  const english = speaking('en');
  await fund(member, 123_456.5);
  await openGame(member, 'pg');
  await transfer(member, 'WALLET', 'pg', 100_000);
  await page.evaluate(() => localStorage.setItem('locale', 'en'));
  await page.addInitScript(() =>
    document.addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%')),
  );
  for (const path of ['/user/bonus', '/user/spin', '/user/statement', '/user/contact', '/user/howto', '/user/home']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await wholeWords(page, path);
  }
  await button(dialog(page, english('agreement:title')), english('agreement:accept')).click();
  await card(page, 'PG SLOT').click();
  await wholeWords(page, 'game');
  await page.keyboard.press('Escape');
  await button(page, english('home:transfer')).click();
  await wholeWords(page, 'transfer');
});
