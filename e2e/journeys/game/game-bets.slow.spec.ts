import type { Locator } from '@playwright/test';
import { amountIn, balancesTold, GAMES, lookAgain, openGameDialog, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fund, openGame, transfer, walletOf } from '../../support/money.ts';
import { finishMatch, openBet, player, settleBet } from '../../support/outside.ts';
import { betOnMatch, type Place } from '../../support/play.ts';
import { expect, test } from '../../support/test.ts';
import { button, card, dialog as popup } from '../../support/walk.ts';
import { speaking } from '../../support/words.ts';

const say = speaking('th');
/** The match that this file ends, and no other bets on. */
const ENDED_HERE: Place = { numbered: 'odd', fromEnd: 1 };

/** A figure of the dialog by what it is called. */
const figure = (dialog: Locator, name: string): Locator =>
  dialog.locator('dl > div').filter({ hasText: name }).getByRole('definition');

test.describe('bets that stay open', () => {
  test('a bet in the sports book is shown on card and dialog, and what it wins reaches the amount by itself [R-GAME-08]', async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(120_000);
    await fund(member, 80);
    const { username } = await openGame(member, 'imi');
    await transfer(member, 'WALLET', 'imi', 60);
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, GAMES.imi);
    await expect(amountIn(dialog, '60.00')).toBeVisible();
    await expect(figure(dialog, say('game:outstanding'))).toHaveCount(0);
    const game = await playInNewTab(context, dialog);
    const matchId = await betOnMatch(game, ENDED_HERE, '25');

    await lookAgain(memberPage);
    await expect(amountIn(dialog, '35.00')).toBeVisible();
    await expect(figure(dialog, say('game:outstanding'))).toHaveText('฿25.00');
    await expect(dialog).toContainText(say('game:outstandingText'));
    await memberPage.keyboard.press('Escape');
    await expect(card(memberPage, GAMES.imi)).toContainText(say('home:openBets', { amount: '25.00' }));
    const staked = memberPage.locator('dl > div').filter({ hasText: say('home:bets') });
    await expect(staked.getByRole('definition')).toHaveText('25.00');

    await balancesTold(memberPage);
    await finishMatch(matchId, 3, 0);
    const { balance } = await player('imi', username);
    expect(Number(balance)).toBeGreaterThan(60);
    await lookAgain(memberPage);
    await expect(card(memberPage, GAMES.imi)).toContainText(`฿${balance}`);
    await expect(card(memberPage, GAMES.imi)).not.toContainText(say('home:openBets', { amount: '25.00' }));
    await expect(staked).toHaveCount(0);
    const again = await openGameDialog(memberPage, GAMES.imi);
    await expect(figure(again, say('game:turnover'))).toHaveText('฿25.00');
  });

  test('where nothing leaves while bets are open, the words say why and when, and nothing has moved', async ({
    memberPage,
    member,
  }) => {
    await fund(member, 50);
    const { username } = await openGame(member, 'huayhd');
    await transfer(member, 'WALLET', 'huayhd', 50);
    const { roundId } = await openBet('huayhd', username, 20);
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, GAMES.huayhd);
    await expect(figure(dialog, say('game:outstanding'))).toHaveText('฿20.00');
    const takeHome = async (amount: string): Promise<void> => {
      await button(dialog, say('game:takeHome', { amount })).click();
      const sheet = popup(memberPage, say('transfer:title'));
      await button(sheet, say('transfer:all')).click();
      await button(sheet, say('transfer:submit')).click();
    };
    await takeHome('฿30.00');
    const failure = popup(memberPage, say('transfer:failureTitle'));
    await expect(failure).toContainText(say('transfer:refused.OPEN_BETS'));
    expect((await walletOf(member)).wallet.amount).toBe(0);
    await memberPage.keyboard.press('Escape');
    await memberPage.keyboard.press('Escape');

    await settleBet('huayhd', username, roundId, 30);
    await memberPage.reload();
    await openGameDialog(memberPage, GAMES.huayhd);
    await expect(amountIn(dialog, '60.00')).toBeVisible();
    await takeHome('฿60.00');
    await expect(popup(memberPage, say('transfer:successTitle'))).toBeVisible();
    expect((await walletOf(member)).wallet.amount).toBe(60);
  });
});
