import { GAMES } from '../../support/game.ts';
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
  test('a game that keeps its money is named with its reason, and the rest is paid', async ({ memberPage, member }) => {
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
    await expect(success).toContainText(say('withdraw:notBrought'));
    await expect(success.getByRole('listitem')).toHaveText([
      `${GAMES[LOTTO]}${say('withdraw:notBroughtReason.OPEN_BETS')}`,
    ]);
    expect((await walletOf(member)).wallet.amount).toBe(100);
  });

  test('more than comes home is not paid, and the member reads that money stayed in games', async ({
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
    await sheet.getByLabel(say('withdraw:amount')).fill('160');
    await button(sheet, say('withdraw:submit')).click();
    const failure = dialog(memberPage, say('withdraw:failureTitle'));
    await expect(failure).toContainText(say('withdraw:refused.GAMES_NOT_BROUGHT'));
    await expect(failure).toContainText(say('withdraw:failureMoney'));
    expect((await walletOf(member)).wallet.amount).toBe(50);
  });
});
