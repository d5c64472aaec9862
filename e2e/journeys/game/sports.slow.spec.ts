import type { BrowserContext, Page, Route } from '@playwright/test';
import { findAccessibilityFaults } from '../../support/accessible.ts';
import {
  betOnMatch,
  creditDisplay,
  UNCHANGED_MATCH,
  selectHomeTeam,
  type MatchPosition,
} from '../../support/game-bets.ts';
import { GAMES, openGameDialog, playInNewTab } from '../../support/game.ts';
import { openHome } from '../../support/home.ts';
import { type Member } from '../../support/member.ts';
import { fundWallet, openGameAccount, transferMoney } from '../../support/money.ts';
import { finishSportsMatch, readGamePlayer } from '../../support/simulators.ts';
import { expect, test } from '../../support/test.ts';

const BETS_GLOB = '**/games/imi/sports/bets';
/** The match that this file ends; no other file bets on this match. */
const ENDED_HERE: MatchPosition = { parity: 'odd', indexFromEnd: 2 };

type MatchBoard = { matches: { phase: string; markets: { prices: { odds: number }[] }[] }[] };

/** The sports book in a tab of its own, with 100 of credit. @returns the tab and the player's name */
async function placeRecordedBet(page: Page, member: Member, context: BrowserContext): Promise<[Page, string]> {
  await fundWallet(member, 100);
  const { username } = await openGameAccount(member, 'imi');
  await transferMoney(member, 'WALLET', 'imi', 100);
  await openHome(page);
  const game = await playInNewTab(context, await openGameDialog(page, GAMES.imi));
  await expect(creditDisplay(game)).toHaveText('100.00');
  return [game, username];
}

const onPost = (handlePost: (route: Route) => Promise<void>) => (route: Route) =>
  route.request().method() === 'POST' ? handlePost(route) : route.continue();

test.describe('sports book', () => {
  test.describe.configure({ timeout: 120_000 });

  test('an invalid stake is refused with an error text and a disabled button', async ({
    memberPage,
    member,
    context,
  }) => {
    const [game] = await placeRecordedBet(memberPage, member, context);
    await selectHomeTeam(game, UNCHANGED_MATCH);
    const confirmButton = game.locator('.confirm');
    const noteText = game.locator('.note');
    for (const [typedStake, expectedText] of [
      ['101', 'เครดิตไม่พอ ตอนนี้มี 100.00'],
      ['9.99', 'เดิมพันขั้นต่ำ 10'],
      ['20000.01', 'เดิมพันสูงสุด 20,000 ต่อบิล'],
      ['1.005', 'ใส่เป็นตัวเลข ทศนิยมไม่เกินสองตำแหน่ง'],
      ['-5', 'ใส่เป็นตัวเลข ทศนิยมไม่เกินสองตำแหน่ง'],
    ] as const) {
      await game.locator('#stake').fill(typedStake);
      await expect(noteText).toContainText(expectedText);
      await expect(confirmButton).toBeDisabled();
    }
    await game.getByRole('button', { name: '+50', exact: true }).click();
    await game.getByRole('button', { name: 'สูงสุด', exact: true }).click();
    await expect(game.locator('#stake')).toHaveValue('100');
    await expect(confirmButton).toBeEnabled();
  });

  test('changed odds are shown, and the bet is placed only after they are accepted', async ({
    memberPage,
    member,
    context,
  }) => {
    const [game, username] = await placeRecordedBet(memberPage, member, context);
    let isStale = true;
    await game.route('**/games/imi/sports/{board,matches/*}', async (route) => {
      const serverReply = await route.fetch();
      const body = (await serverReply.json()) as MatchBoard & MatchBoard['matches'][number];
      for (const { phase, markets } of body.matches ?? [body]) {
        if (isStale && phase === 'coming')
          for (const { prices } of markets) for (const marketPrice of prices) marketPrice.odds += 7;
      }
      await route.fulfill({ json: body });
    });
    await game.reload();
    await expect(creditDisplay(game)).toHaveText('100.00');
    await selectHomeTeam(game, UNCHANGED_MATCH);
    await game.locator('#stake').fill('20');
    const shownOdds = Number((await game.locator('.picked-odds').textContent())?.replace('.', ''));
    await Promise.all([
      game.waitForResponse((response) => response.request().method() === 'POST').then(() => (isStale = false)),
      game.getByRole('button', { name: 'วางเดิมพัน 20.00' }).click(),
    ]);
    const now = `${String(shownOdds - 7).slice(0, -2)}.${String(shownOdds - 7).slice(-2)}`;
    await expect(game.locator('.note')).toContainText(`เป็น ${now}`);
    expect((await readGamePlayer('imi', username)).outstanding).toBe('0.00');
    await game.getByRole('button', { name: `ยอมรับราคา ${now} แล้ววางเดิมพัน` }).click();
    await expect(game.getByRole('heading', { name: 'รับบิลแล้ว' })).toBeVisible();
    await expect(creditDisplay(game)).toHaveText('80.00');
    expect((await readGamePlayer('imi', username)).outstanding).toBe('20.00');
    // The page keeps polling: a late mocked reply is ignored.
    await game.unrouteAll({ behavior: 'ignoreErrors' });
  });

  test('a bet whose reply was lost is repeated unchanged and is placed once', async ({
    memberPage,
    member,
    context,
  }) => {
    const [game, username] = await placeRecordedBet(memberPage, member, context);
    await game.route(
      BETS_GLOB,
      onPost((route) => route.fetch().then(() => route.abort())),
    );
    await selectHomeTeam(game, UNCHANGED_MATCH);
    await game.locator('#stake').fill('30');
    await game.locator('.confirm').click();
    await expect(game.locator('.note')).toContainText('บิลจะไม่ซ้ำ');
    await expect(game.locator('#stake')).toBeDisabled();
    await game.unroute(BETS_GLOB);
    await game.locator('.confirm').click();
    await expect(game.getByRole('heading', { name: 'รับบิลแล้ว' })).toBeVisible();
    await expect(creditDisplay(game)).toHaveText('70.00');
    expect((await readGamePlayer('imi', username)).outstanding).toBe('30.00');
    await game.getByRole('link', { name: 'ดูบิลของฉัน' }).click();
    await expect(game.locator('.ticket')).toHaveCount(1);
  });

  test('my bets show the end of a match without a reload; all sports screens have no accessibility fault and no sideways scroll', async ({
    memberPage,
    member,
    context,
  }) => {
    const [game] = await placeRecordedBet(memberPage, member, context);
    await game.emulateMedia({ reducedMotion: 'reduce' });
    const checkGame = async (name: string): Promise<void> => {
      expect.soft(await findAccessibilityFaults(game), name).toEqual([]);
      const overflowPx = await game.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect.soft(overflowPx, `${name} scrolls sideways`).toBeLessThanOrEqual(0);
    };
    await checkGame('matches');
    await selectHomeTeam(game, ENDED_HERE);
    await checkGame('slip');
    await game.getByRole('button', { name: 'ปิด', exact: true }).last().click();
    const matchId = await betOnMatch(game, ENDED_HERE, '25');
    await checkGame('placed');
    await game.getByRole('link', { name: 'ดูบิลของฉัน' }).click();
    await expect(game.locator('.ticket-open')).toHaveCount(1);
    await checkGame('open bets');
    await finishSportsMatch(matchId, 0, 1);
    await expect(game.getByText('ยังไม่มีบิลค้างตัดสิน')).toBeVisible();
    await checkGame('no bets');
    await game.getByRole('tab', { name: 'ตัดสินแล้ว' }).click();
    await expect(game.locator('.ticket-lost')).toContainText('0–1');
    await game.setViewportSize({ width: 320, height: 640 });
    await checkGame('settled bets, narrow');
    await game.setViewportSize({ width: 1280, height: 800 });
    await expect(game.locator('.pane-match .stage')).toBeVisible();
    await checkGame('desk');
    // By keyboard only, also while no control in the match is enabled.
    const match = game.getByRole('region', { name: / – / });
    await match.press('End');
    await expect.poll(() => match.evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(0);
  });
});
