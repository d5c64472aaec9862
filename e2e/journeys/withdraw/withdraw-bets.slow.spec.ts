import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { openBet } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, dialogByName, sendWithdrawal } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** Lets no money out while a bet is open. */
const LOTTO_GAME = 'huayhd';

test.describe('taking everything out while a bet is open', () => {
  test('a withdrawal covered by the wallet leaves the game unchanged', async ({ memberPage, member }) => {
    await fundWallet(member, 400);
    const { username } = await openGameAccount(member, LOTTO_GAME);
    await transferMoney(member, 'WALLET', LOTTO_GAME, 100);
    await openBet(LOTTO_GAME, username, 30);
    await openHome(memberPage);
    await buttonByName(memberPage, translate('home:withdraw')).click();
    const sheet = dialogByName(memberPage, translate('withdraw:title'));
    // The bank pays within a second; from then on the reply reports the payment.
    await memberPage.route('**/api/statement', (route) => route.abort());
    await sheet.getByLabel(translate('withdraw:amount')).fill('200');
    await sendWithdrawal(sheet, translate);
    const successDialog = dialogByName(memberPage, translate('withdraw:successTitle'));
    await expect(successDialog).toContainText('฿200.00');
    await expect(successDialog.getByRole('listitem')).toHaveCount(0);
    const { wallet, slots } = await readWallet(member);
    expect([wallet.amount, slots.find(({ code }) => code === LOTTO_GAME)?.amount]).toEqual([100, 70]);
  });

  test('money that a game retains is not offered, and more than the rest is refused while typing', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 200);
    const { username } = await openGameAccount(member, LOTTO_GAME);
    await transferMoney(member, 'WALLET', LOTTO_GAME, 150);
    await openBet(LOTTO_GAME, username, 30);
    await openHome(memberPage);
    await buttonByName(memberPage, translate('home:withdraw')).click();
    const sheet = dialogByName(memberPage, translate('withdraw:title'));
    await expect(sheet).toContainText(translate('withdraw:available', { amount: '฿50.00' }));
    await sheet.getByLabel(translate('withdraw:amount')).fill('160');
    await expect(sheet).toContainText(translate('withdraw:notEnough', { amount: '฿50.00' }));
    expect((await readWallet(member)).wallet.amount).toBe(50);
  });
});
