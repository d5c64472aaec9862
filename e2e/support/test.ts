import { setTimeout } from 'node:timers/promises';
import { expect, type Page, test as base } from '@playwright/test';
import { appUrl, type Member, newAddress, newMember } from './member.ts';
import { WireCheck } from './wire-check.ts';

type Fixtures = {
  /** Where this test's browser calls from: an address of its own, so that limits count for one person, as outside. */
  address: string;
  /** A member of this test alone. */
  member: Member;
  /** The page, with the member's session in it, not opened anywhere yet. */
  memberPage: Page;
  /** Fails a test in which the app received what the contract does not declare. */
  wire: WireCheck;
};

export const test = base.extend<Fixtures>({
  wire: [
    async ({ browser }, use) => {
      const wire = new WireCheck(appUrl());
      const stop = wire.watch(browser);
      await use(wire);
      stop();
      const { unexpected, missing } = await wire.result();
      expect(unexpected, 'what the app received is as the contract declares it').toEqual([]);
      expect(missing, 'each expected fault was found').toEqual([]);
    },
    { auto: true },
  ],
  baseURL: async ({}, use) => use(appUrl()),
  address: async ({}, use) => use(newAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ 'x-forwarded-for': address }),
  member: async ({}, use) => use(await newMember()),
  page: async ({ page }, use) => {
    await use(page);
    // A call that a test answers in its own words may come again just as the test ends: that is no failure of the test.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
  memberPage: async ({ page, member }, use) => {
    await signIn(page, member);
    await use(page);
  },
});

/** For journeys about what moves, counts up or glides: with motion, as most people have it. `test.use(MOVING)` */
export const MOVING = { contextOptions: { reducedMotion: 'no-preference' } } as const;

/** For journeys about what works without a connection, and those that do all that a member does. `test.use(WITH_SERVICE_WORKER)` */
export const WITH_SERVICE_WORKER = { serviceWorkers: 'allow' } as const;

export { expect };

/** Puts a session into the browser the way the login page does, from a file of the app that starts nothing. */
export async function signIn(page: Page, { token }: Member): Promise<void> {
  await page.goto('/icon.svg');
  await page.evaluate((value) => localStorage.setItem('token', value), token);
}

/** Accepts the agreement whenever it comes, for tests that are about something else. */
export async function acceptAgreement(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  const accept = dialog.getByRole('button', { name: 'รับทราบและยอมรับ' });
  // Without waiting for it: the page that it belongs to may have just been left.
  await page.addLocatorHandler(dialog, () =>
    accept.evaluateAll((buttons: HTMLElement[]) => buttons.forEach((button) => button.click())),
  );
}

const BANGKOK_AHEAD_MS = 7 * 60 * 60_000;
const DAY_MS = 24 * 60 * 60_000;
/** Longer than the longest journey about days takes. */
const JOURNEY_MS = 90_000;

/**
 * For journeys in which the day or the week may not change between two steps: `test.beforeEach(withinADay)`. Where the day in
 * Bangkok is about to end, they begin on the next.
 */
export async function withinADay(): Promise<void> {
  const left = DAY_MS - ((Date.now() + BANGKOK_AHEAD_MS) % DAY_MS);
  if (left > JOURNEY_MS) return;
  test.setTimeout(test.info().timeout + left);
  await setTimeout(left);
}
