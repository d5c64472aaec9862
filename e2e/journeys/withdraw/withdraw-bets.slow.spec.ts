import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { openBet } from '../../support/outside.ts';
import { expect, test } from '../../support/test.ts';
import { button, dialog } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** Lets no money out while a bet is open. */
const LOTTO = 'huayhd';

test.describe('taking everything out while a bet is open', () => {
  test('a withdrawal that the wallet covers leaves the game alone', async ({ memberPage, member }) => {
    await fund(member, 400);
    const { username } = await openGame(member, LOTTO);
    await transfer(member, 'WALLET', LOTTO, 100);
    await openBet(LOTTO, username, 30);
    await openHome(memberPage);
    await button(memberPage, say('home:withdraw')).click();
    const sheet = dialog(memberPage, say('withdraw:title'));
    // The bank pays within a second, and then the answer says so.
    await memberPage.route('**/api/statement', (route) => route.abort());
    await sheet.getByLabel(say('withdraw:amount')).fill('200');
    await button(sheet, say('withdraw:submit')).click();
    const success = dialog(memberPage, say('withdraw:successTitle'));
    await expect(success).toContainText('฿200.00');
    await expect(success.getByRole('listitem')).toHaveCount(0);
    const { wallet, slots } = await walletOf(member);
    expect([wallet.amount, slots.find(({ code }) => code === LOTTO)?.amount]).toEqual([100, 70]);
  });

  test('money that a game keeps is not offered, and more than the rest is refused while it is typed', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 200);
    const { username } = await openGame(member, LOTTO);
    await transfer(member, 'WALLET', LOTTO, 150);
    await openBet(LOTTO, username, 30);
    await openHome(memberPage);
    await button(memberPage, say('home:withdraw')).click();
    const sheet = dialog(memberPage, say('withdraw:title'));
    await expect(sheet).toContainText(say('withdraw:available', { amount: '฿50.00' }));
    await sheet.getByLabel(say('withdraw:amount')).fill('160');
    await expect(sheet).toContainText(say('withdraw:notEnough', { amount: '฿50.00' }));
    expect((await walletOf(member)).wallet.amount).toBe(50);
  });
});
