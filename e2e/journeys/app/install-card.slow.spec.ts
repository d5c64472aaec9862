import type { Page } from '@playwright/test';
import { expectAccessible } from '../../support/accessible.ts';
import { openHome } from '../../support/home.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName } from '../../support/user-actions.ts';

const translate = translatorFor('th');
const DAY_MS = 86_400_000;

const card = (page: Page) => page.getByRole('region', { name: translate('install:card.title') });
const notNow = (page: Page) => buttonByName(card(page), translate('install:card.later'));

/** The browser offers the installation as Chromium does, and answers its dialog. */
const offerInstallation = (page: Page, outcome: 'accepted' | 'dismissed'): Promise<unknown> =>
  page.addInitScript((choice) => {
    const offer = Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
      prompt: async () => {
        Object.assign(globalThis, { isPrompted: true });
        return { outcome: choice };
      },
    });
    addEventListener('load', () => setTimeout(() => dispatchEvent(offer), 500));
  }, outcome);

/** Sets what this device has recorded about the offer. */
const setOffer = (page: Page, state: Record<string, unknown>): Promise<void> =>
  page.evaluate((value) => localStorage.setItem('install-offer', JSON.stringify(value)), state);

const readOffer = (page: Page): Promise<Record<string, unknown>> =>
  page.evaluate(() => JSON.parse(localStorage.getItem('install-offer') ?? '{}') as Record<string, unknown>);

/** Long enough for the card to appear. */
const CARD_WAIT_MS = 6_000;

test("the installation is offered on the third day of use, and opens the browser's prompt [R-WALLET-08]", async ({
  memberPage: page,
}) => {
  await offerInstallation(page, 'accepted');
  await openHome(page);
  await expect.poll(async () => (await readOffer(page))['days']).toBe(1);
  await expect(card(page)).toHaveCount(0);
  await setOffer(page, { days: 2, lastDay: '01/01/2026' });
  await openHome(page);
  await expect(card(page)).toBeVisible();
  await expectAccessible(page, 'install card');
  await buttonByName(card(page), translate('install:card.install')).click();
  await expect(card(page)).toHaveCount(0);
  expect(await page.evaluate(() => Reflect.get(globalThis, 'isPrompted'))).toBe(true);
  await openHome(page);
  await page.waitForTimeout(CARD_WAIT_MS);
  await expect(card(page)).toHaveCount(0);
});

test('"Not now" hides the install offer for thirty days, the second time permanently; the profile keeps the entry [R-WALLET-08]', async ({
  memberPage: page,
}) => {
  test.setTimeout(120_000);
  await offerInstallation(page, 'accepted');
  await page.evaluate(() => localStorage.setItem('install-offer', '{"days":'));
  await openHome(page);
  await setOffer(page, { days: 3, hasDeposit: true });
  await openHome(page);
  await notNow(page).click();
  await expect(card(page)).toHaveCount(0);
  await openHome(page);
  await page.waitForTimeout(CARD_WAIT_MS);
  await expect(card(page)).toHaveCount(0);
  await setOffer(page, { ...(await readOffer(page)), refusedAt: Date.now() - 31 * DAY_MS });
  await openHome(page);
  await notNow(page).click();
  await setOffer(page, { ...(await readOffer(page)), refusedAt: 0 });
  await openHome(page);
  await page.waitForTimeout(CARD_WAIT_MS);
  await expect(card(page)).toHaveCount(0);
  await page.goto('/user/profile');
  await buttonByName(page, translate('install:card.install')).click();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'isPrompted'))).toBe(true);
});

test.describe('on an iPhone', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1',
  });

  test('Safari on an iPhone shows instructions to install the app [R-WALLET-08]', async ({ memberPage: page }) => {
    await setOffer(page, { days: 3 });
    await openHome(page);
    await buttonByName(card(page), translate('install:card.how')).click();
    const guide = dialogByName(page, translate('install:card.title'));
    await expect(guide.getByRole('listitem')).toHaveCount(3);
    await expect(guide).toContainText(translate('install:ios.login'));
    await expectAccessible(page, 'install guide');
  });
});

test.describe('in the browser of LINE', () => {
  test.use({
    userAgent: 'Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/126.0 Mobile Safari/537.36 Line/14.9.0',
  });

  test("the install card in the LINE browser leads to the phone's browser [R-WALLET-08]", async ({
    memberPage: page,
  }) => {
    await setOffer(page, { days: 3 });
    await openHome(page);
    await expect(card(page).getByRole('link', { name: translate('install:card.browser') })).toHaveAttribute(
      'href',
      /openExternalBrowser=1/,
    );
  });
});
