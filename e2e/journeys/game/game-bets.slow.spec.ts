import type { Locator } from '@playwright/test';
import { betOnMatch, type MatchPosition } from '../../support/game-bets.ts';
import {
  dialogAmount,
  waitForBalancesRequest,
  GAMES,
  simulateTabReturn,
  openGameDialog,
  playInNewTab,
} from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { fundWallet, openGameAccount, transferMoney, readWallet } from '../../support/money.ts';
import { finishSportsMatch, openBet, readGamePlayer, settleBet } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';
import { translatorFor } from '../../support/translate.ts';
import { buttonByName, gameCard, dialogByName as popup } from '../../support/user-actions.ts';

const translate = translatorFor('th');
/** The match that this file ends; no other file bets on this match. */
const ENDING_MATCH: MatchPosition = { parity: 'odd', indexFromEnd: 1 };

/** A figure of the dialog, by its label. */
const figureOf = (dialog: Locator, name: string): Locator =>
  dialog.locator('dl > div').filter({ hasText: name }).getByRole('definition');

test.describe('bets that stay open', () => {
  test("an open sports bet is shown on the game's card and dialog, and its win is added automatically [R-GAME-08]", async ({
    memberPage,
    member,
    context,
  }) => {
    test.setTimeout(120_000);
    await fundWallet(member, 80);
    const { username } = await openGameAccount(member, 'imi');
    await transferMoney(member, 'WALLET', 'imi', 60);
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, GAMES.imi);
    await expect(dialogAmount(dialog, '60.00')).toBeVisible();
    await expect(figureOf(dialog, translate('game:outstanding'))).toHaveCount(0);
    const game = await playInNewTab(context, dialog);
    const matchId = await betOnMatch(game, ENDING_MATCH, '25');

    await simulateTabReturn(memberPage);
    await expect(dialogAmount(dialog, '35.00')).toBeVisible();
    await expect(figureOf(dialog, translate('game:outstanding'))).toHaveText('฿25.00');
    await expect(dialog).toContainText(translate('game:outstandingText'));
    await memberPage.keyboard.press('Escape');
    await expect(gameCard(memberPage, GAMES.imi)).toContainText(translate('home:openBets', { amount: '25.00' }));
    const stakedFigure = memberPage.locator('dl > div').filter({ hasText: translate('home:bets') });
    await expect(stakedFigure.getByRole('definition')).toHaveText('25.00');

    await waitForBalancesRequest(memberPage);
    await finishSportsMatch(matchId, 3, 0);
    const { balance } = await readGamePlayer('imi', username);
    expect(Number(balance)).toBeGreaterThan(60);
    await simulateTabReturn(memberPage);
    await expect(gameCard(memberPage, GAMES.imi)).toContainText(`฿${balance}`);
    await expect(gameCard(memberPage, GAMES.imi)).not.toContainText(translate('home:openBets', { amount: '25.00' }));
    await expect(stakedFigure).toHaveCount(0);
    const reopenedDialog = await openGameDialog(memberPage, GAMES.imi);
    await expect(figureOf(reopenedDialog, translate('game:turnover'))).toHaveText('฿25.00');
  });

  test('where open bets block a transfer out, the dialog says why and until when, and no money moves', async ({
    memberPage,
    member,
  }) => {
    await fundWallet(member, 50);
    const { username } = await openGameAccount(member, 'huayhd');
    await transferMoney(member, 'WALLET', 'huayhd', 50);
    const { roundId } = await openBet('huayhd', username, 20);
    await openHome(memberPage);
    const dialog = await openGameDialog(memberPage, GAMES.huayhd);
    await expect(figureOf(dialog, translate('game:outstanding'))).toHaveText('฿20.00');
    const transferToWallet = (amount: string): Promise<void> =>
      buttonByName(dialog, translate('game:takeHome', { amount })).click();
    await transferToWallet('฿30.00');
    const failureDialog = popup(memberPage, translate('transfer:failureTitle'));
    await expect(failureDialog).toContainText(translate('transfer:refused.OPEN_BETS'));
    expect((await readWallet(member)).wallet.amount).toBe(0);
    await memberPage.keyboard.press('Escape');
    await memberPage.keyboard.press('Escape');

    await settleBet('huayhd', username, roundId, 30);
    await memberPage.reload();
    await openGameDialog(memberPage, GAMES.huayhd);
    await expect(dialogAmount(dialog, '60.00')).toBeVisible();
    await transferToWallet('฿60.00');
    await expect(memberPage.getByText(translate('game:broughtHome', { amount: '฿60.00' }))).toBeVisible();
    expect((await readWallet(member)).wallet.amount).toBe(60);
  });
});
