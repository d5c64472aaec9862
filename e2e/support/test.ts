import { setTimeout } from 'node:timers/promises';
import { expect, type Page, test as base } from '@playwright/test';
import { appUrl, type Member, newAddress, newMember } from './member.ts';
import { WireCheck } from './wire-check.ts';

type TestFixtures = {
  /** Client address of this test's browser: each test has its own, so that rate limits apply per test. */
  address: string;
  /** A member that only this test uses. */
  member: Member;
  /** A page with the member's session, not yet opened. */
  memberPage: Page;
  /** Fails a test in which the app received data that violates the contract. */
  wire: WireCheck;
};

export const test = base.extend<TestFixtures>({
  wire: [
    async ({ browser }, use) => {
      const wireCheck = new WireCheck(appUrl());
      const stopWatching = wireCheck.watchBrowser(browser);
      await use(wireCheck);
      stopWatching();
      const { unexpectedFaults, missingFaults } = await wireCheck.result();
      expect(unexpectedFaults, 'what the app received is as the contract declares it').toEqual([]);
      expect(missingFaults, 'each expected fault was found').toEqual([]);
    },
    { auto: true },
  ],
  baseURL: async ({}, use) => use(appUrl()),
  address: async ({}, use) => use(newAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ 'x-forwarded-for': address }),
  member: async ({}, use) => use(await newMember()),
  page: async ({ page }, use) => {
    await use(page);
    // A mocked call may be repeated just as the test ends; that is no failure of the test.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
  memberPage: async ({ page, member }, use) => {
    await signIn(page, member);
    await use(page);
  },
});

/** For journeys about motion: without `prefers-reduced-motion`. `test.use(WITH_MOTION)` */
export const WITH_MOTION = { contextOptions: { reducedMotion: 'no-preference' } } as const;

/**
 * For journeys that work without a connection, or that cover all actions of a member. `test.use(WITH_SERVICE_WORKER)`
 */
export const WITH_SERVICE_WORKER = { serviceWorkers: 'allow' } as const;

export { expect };

/** Stores a session in the browser like the login page, from a static file of the app. */
export async function signIn(page: Page, { token, phone }: Member): Promise<void> {
  await page.goto('/icon.svg');
  const entries = { phone: JSON.stringify({ session: token.slice(-8), value: phone }), token };
  await page.evaluate((values) => {
    for (const [key, value] of Object.entries(values)) localStorage.setItem(key, value);
  }, entries);
}

/** Accepts the agreement whenever it appears, for tests about other things. */
export async function acceptAgreement(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  const acceptButton = dialog.getByRole('button', { name: 'รับทราบและยอมรับ' });
  // Doesn't wait for the click: the dialog's page may have just been closed.
  await page.addLocatorHandler(dialog, () =>
    acceptButton.evaluateAll((buttons: HTMLElement[]) => buttons.forEach((button) => button.click())),
  );
}

const BANGKOK_AHEAD_MS = 7 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Longer than the longest journey about days. */
const JOURNEY_MS = 90_000;

/**
 * For journeys during which the day or the week may not change: `test.beforeEach(waitForTimeBeforeMidnight)`. Shortly
 * before midnight in Bangkok it waits for the next day.
 */
export async function waitForTimeBeforeMidnight(): Promise<void> {
  const leftMs = DAY_MS - ((Date.now() + BANGKOK_AHEAD_MS) % DAY_MS);
  if (leftMs > JOURNEY_MS) return;
  test.setTimeout(test.info().timeout + leftMs);
  await setTimeout(leftMs);
}
