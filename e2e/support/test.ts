import { type Page, test as base } from '@playwright/test';
import { appUrl, type Member, newAddress, newMember } from './member.ts';

type Fixtures = {
  /** Where this test's browser calls from: an address of its own, so that limits count for one person, as outside. */
  address: string;
  /** A member of this test alone. */
  member: Member;
  /** The page, with the member's session in it, not opened anywhere yet. */
  memberPage: Page;
};

export const test = base.extend<Fixtures>({
  baseURL: async ({}, use) => use(appUrl()),
  address: async ({}, use) => use(newAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ 'x-forwarded-for': address }),
  member: async ({}, use) => use(await newMember()),
  memberPage: async ({ page, member }, use) => {
    await signIn(page, member);
    await use(page);
  },
});

export { expect } from '@playwright/test';

/** Puts a session into the browser the way the login page does, without the login page. */
export async function signIn(page: Page, { token }: Member): Promise<void> {
  await page.goto('/no-such-page');
  await page.evaluate((value) => localStorage.setItem('token', value), token);
}

/** Accepts the agreement whenever it comes, for tests that are about something else. */
export async function acceptAgreement(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  await page.addLocatorHandler(dialog, () => dialog.getByRole('button', { name: 'รับทราบและยอมรับ' }).click());
}
