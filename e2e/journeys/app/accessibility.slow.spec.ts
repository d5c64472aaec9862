import {
  expectAccessible,
  expectAccessibleIgnoringColours,
  expectAccessibleInOtherColours,
  expectNoBrokenWords,
  expectNoHorizontalOverflow,
  expectOnPhones,
} from '../../support/accessible.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, gameCard, dialogByName } from '../../support/user-actions.ts';
import { type PageCheck, visitMemberPages, visitPublicPages, visitRegisterSteps } from '../../support/visit-pages.ts';
import {
  visitAccountStates,
  visitDepositStates,
  visitInAppStates,
  visitInviter,
  visitLobbyStates,
  visitNoticeStates,
  visitPlayStates,
  visitStatementStates,
} from '../../support/visit-states.ts';

const translate = translatorFor('th');

// The tours of languages.slow.spec.ts check automatically detectable faults and a width of 320 pixels.
test.describe('at 195 pixels, the width of a phone at 200 % zoom', () => {
  test.use({ viewport: { width: 195, height: 422 } });
  test.beforeEach(() => test.setTimeout(240_000));

  test('no public page or registration step scrolls sideways at 195 pixels', async ({ page }) => {
    await visitPublicPages(page, translate, expectNoHorizontalOverflow);
    await visitRegisterSteps(page, translate, expectNoHorizontalOverflow);
  });

  test('no member page or dialog scrolls sideways at 195 pixels', async ({ memberPage, member }) => {
    await visitMemberPages(memberPage, translate, member, expectNoHorizontalOverflow);
  });
});

test('at 200 % zoom no content is lost and no page scrolls sideways', async ({ browser, memberPage, member }) => {
  await fundWallet(member, 123_456.5);
  // A 780 px window at 200 % zoom has half the CSS pixels in each direction.
  const zoomedContext = await browser.newContext({
    viewport: { width: 390, height: 422 },
    deviceScaleFactor: 2,
    storageState: await memberPage.context().storageState(),
  });
  const page = await zoomedContext.newPage();
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
    await expectNoHorizontalOverflow(page, path);
    const menu = page.getByRole('navigation', { name: translate('common:menu.label') });
    await expect(menu.getByRole('link', { name: translate('common:menu.home') })).toBeInViewport();
  }
  await zoomedContext.close();
});

test('with text at 200 % no word is broken into letters', async ({ memberPage: page, member }) => {
  test.setTimeout(240_000);
  const translateToEnglish = translatorFor('en');
  await fundWallet(member, 123_456.5);
  await openGameAccount(member, 'pg');
  await transferMoney(member, 'WALLET', 'pg', 100_000);
  await page.evaluate(() => localStorage.setItem('locale', 'en'));
  await page.addInitScript(() =>
    document.addEventListener('DOMContentLoaded', () => (document.documentElement.style.fontSize = '200%')),
  );
  for (const path of ['/user/bonus', '/user/spin', '/user/statement', '/user/contact', '/user/howto', '/user/home']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expectNoBrokenWords(page, path);
  }
  await buttonByName(
    dialogByName(page, translateToEnglish('agreement:title')),
    translateToEnglish('agreement:accept'),
  ).click();
  await gameCard(page, 'PG SLOT').click();
  const gameSheet = dialogByName(page, 'PG SLOT');
  await expect(gameSheet).toBeVisible();
  await expectNoBrokenWords(page, 'game');
  await page.keyboard.press('Escape');
  await expect(gameSheet).toBeHidden();
  await buttonByName(page, translateToEnglish('home:transfer')).click();
  await expect(dialogByName(page, translateToEnglish('transfer:title'))).toBeVisible();
  await expectNoBrokenWords(page, 'transfer');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(`with forced colours, ${colorScheme}, the balance covers no label, and its bar and the home button stay visible`, async ({
    memberPage: page,
    member,
  }) => {
    await fundWallet(member, 75);
    await page.emulateMedia({ colorScheme, forcedColors: 'active' });
    await openHome(page);
    const total = page.locator('.fit-amount');
    await expect(total).toHaveText('75.00');
    const label = page.getByRole('heading', { name: translate('home:total') });
    const labelBesideTotal = await label.screenshot();
    await total.evaluate((element) => (element.style.visibility = 'hidden'));
    expect(await label.screenshot()).toEqual(labelBesideTotal);
    const walletBar = page.locator('.plaque [aria-hidden] > span').filter({ visible: true }).first();
    const canvasColour = await page.locator('html').evaluate((root) => getComputedStyle(root).backgroundColor);
    await expect(walletBar).not.toHaveCSS('background-color', canvasColour);
    await expect(walletBar).toHaveCSS('outline-style', 'solid');
    await expect(page.locator('.menu-home')).toHaveCSS('outline-style', 'solid');
  });
}

for (const language of ['th', 'la', 'en'] as const) {
  const colours = language === 'th' ? ', light, dark and forced colours' : '';
  test.describe(`on phones of 320 and 390 pixels${colours}, in ${language}`, () => {
    const checkPage: PageCheck = async (page, name) => {
      await expectOnPhones(language === 'th' ? expectAccessible : expectAccessibleIgnoringColours)(page, name);
      if (language === 'th') await expectAccessibleInOtherColours(page, name);
    };
    const words = translatorFor(language);
    test.beforeEach(async ({ page }) => {
      test.setTimeout(240_000);
      await page.addInitScript((locale) => localStorage.setItem('locale', locale), language);
    });

    test('the deposit dialog has no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
    }) => {
      await visitDepositStates({ page, translate: words, member, checkPage });
    });

    test('withdrawal review, timeline, filters and export have no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
    }) => {
      await visitStatementStates({ page, translate: words, member, checkPage });
    });

    test('the row of games and its search have no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
    }) => {
      await visitLobbyStates({ page, translate: words, member, checkPage });
    });

    test('the game dialog and its outcomes have no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
      context,
    }) => {
      await visitPlayStates({ page, translate: words, member, checkPage }, context);
    });

    test('settings, bank list, prize and inviter have no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
    }) => {
      await visitAccountStates({ page, translate: words, member, checkPage });
      await page.evaluate(() => localStorage.removeItem('token'));
      await visitInviter({ page, translate: words, member, checkPage });
    });

    test('notices and push settings have no accessibility fault, and targets of 44 px, 8 px apart', async ({
      memberPage: page,
      member,
    }) => {
      await visitNoticeStates({ page, translate: words, member, checkPage });
    });

    test.describe('in the browser of another app', () => {
      test.use({
        userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Line/14.9.0',
      });

      test("install card and receipt have no accessibility fault in another app's browser, and targets of 44 px, 8 px apart", async ({
        memberPage: page,
        member,
      }) => {
        await visitInAppStates({ page, translate: words, member, checkPage });
      });
    });
  });
}
