import { newMember } from '../../support/member.ts';
import { ownSystem } from '../../support/own-system.ts';
import { expect, signIn, test } from '../../support/test.ts';
import { button, dialog, ways } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('la');
const BCEL = { bank: 'ທະນາຄານການຄ້າຕ່າງປະເທດລາວ', holder: 'KRAPAO LAO SOLE COMPANY', number: '010120001234567' };

/** A system of its own, as an operator in Laos starts it. */
test.describe('deposit by bank transfer, VARIANT=lao', () => {
  ownSystem({ VARIANT: 'lao' });

  test('the account at BCEL shows bank, holder and number as it is; copying says so, or that it failed [R-DEP-02]', async ({
    page,
  }) => {
    test.setTimeout(120_000);
    const member = await newMember({ bankCode: 'BCEL', currency: 'LAK' });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page, member);
    await page.goto('/user/home');
    await button(page, say('home:deposit')).click();
    const sheet = dialog(page, say('deposit:title'));
    await ways(sheet, say, 'bank').filter({ hasText: BCEL.bank }).click();
    for (const text of Object.values(BCEL))
      await expect(sheet.getByRole('definition').filter({ hasText: text })).toBeVisible();
    await button(sheet, say('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=success]')).toHaveText(say('parts:copied', { text: BCEL.number }));
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(BCEL.number);
    await page.evaluate(() => {
      navigator.clipboard.writeText = () => Promise.reject(new Error('no'));
    });
    await button(sheet, say('deposit:copyNumber')).click();
    await expect(page.locator('[data-toast=danger]')).toHaveText(say('parts:copyFailed'));
  });
});
