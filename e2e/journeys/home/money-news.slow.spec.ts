import { joinedLine } from '../../support/home.ts';
import { fund } from '../../support/money.ts';
import { acceptAgreement, expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** In two groups, because a member may create only a few QR codes a minute. */
const PAGES = [
  ['home', 'profile', 'bonus', 'spin'],
  ['statement', 'contact', 'howto'],
];

for (const names of PAGES)
  test(`a deposit that arrives is announced on ${names.join(', ')}`, async ({ memberPage: page, member }) => {
    for (const [index, name] of names.entries()) {
      const joined = joinedLine(page);
      await page.goto(`/user/${name}`);
      await joined;
      const amount = 100 + index;
      // Shown for four seconds only: looked for before it comes.
      const shown = expect(page.getByText(say('parts:moneyNews.moneyIn', { amount: `฿${amount}.00` }))).toBeVisible();
      await Promise.all([shown, fund(member, amount)]);
    }
  });

test('a deposit that arrives while the deposit dialog is open is shown by the dialog alone', async ({
  memberPage: page,
  member,
}) => {
  await acceptAgreement(page);
  const joined = joinedLine(page);
  await page.goto('/user/home');
  await joined;
  await button(page, say('home:deposit')).click();
  const sheet = dialog(page, say('deposit:title'));
  await expect(sheet).toBeVisible();
  await fund(member, 120);
  await expect(sheet.getByText(say('deposit:arrivedAmount', { amount: '฿120.00' }))).toBeVisible();
  await expect(page.locator('[data-toast]')).toHaveCount(0);
});
