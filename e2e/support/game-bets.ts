import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';

/** Kind of a simulated game. */
export type GameKind = 'slot' | 'sports' | 'lotto';

/** The displayed credit on a game's page. */
export const creditDisplay = (game: Page): Locator => game.locator('#balance');

/** Places a bet on a game's page, which must be in Thai. */
export async function placeBetOnPage(game: Page, gameKind: GameKind): Promise<void> {
  await placeBets[gameKind](game);
}

const placeBets: Readonly<Record<GameKind, (game: Page) => Promise<void>>> = {
  async slot(game) {
    const spin = game.getByRole('button', { name: 'หมุน' });
    await expect(spin).toBeEnabled();
    await spin.click();
  },
  async lotto(game) {
    // Between a draw and the next nothing is sold for a while.
    await expect(game.getByRole('button', { name: 'สุ่ม' })).toBeVisible({ timeout: 60_000 });
    await game.getByRole('button', { name: 'สุ่ม' }).click();
    await game.locator('#basket').click();
    await game.getByRole('button', { name: /^ซื้อ [\d,.]+ บาท$/ }).click();
    await expect(game.getByText('ซื้อแล้ว')).toBeVisible();
  },
  async sports(game) {
    await betOnMatch(game, UNCHANGED_MATCH, '10');
  },
};

/**
 * A match that has not started. Match numbers grow by one every three minutes. Only matches with odd numbers are ended
 * by tests. `indexFromEnd` counts from the end of the list, among even or odd numbers; each such test uses its own index.
 */
export type MatchPosition = { parity: 'even' | 'odd'; indexFromEnd: number };

/** A match that no test ends. */
export const UNCHANGED_MATCH: MatchPosition = { parity: 'even', indexFromEnd: 1 };

/**
 * Opens the slip for the home side of a match. When a match starts, the others move up; a selected match stays the
 * same.
 * @returns the number of the match
 */
export async function selectHomeTeam(game: Page, matchPosition: MatchPosition): Promise<number> {
  const matchCards = game.locator('.coming-card');
  await expect(matchCards.first()).toBeVisible();
  const name = await matchCards.evaluateAll((elements, { parity, indexFromEnd }) => {
    const names = elements.map(
      (card) => card.querySelector<HTMLElement>('button[data-pick*=\'"home"\']')?.dataset['name'] ?? '',
    );
    const wantedRemainder = parity === 'odd' ? 1 : 0;
    const matchingNames = names.filter((name) => Number(name.split(':')[0]) % 2 === wantedRemainder);
    // Repeated tests may have ended some matches already.
    return matchingNames.at(-indexFromEnd) ?? matchingNames.at(-1) ?? '';
  }, matchPosition);
  await game.locator(`button[data-name="${name}"]`).click();
  return Number(name.split(':')[0]);
}

/**
 * Bets that the home side wins. The last matches of the list have not started, so their odds don't change.
 * @param stake credit, as typed
 * @returns the number of the match
 */
export async function betOnMatch(game: Page, matchPosition: MatchPosition, stake: string): Promise<number> {
  const matchId = await selectHomeTeam(game, matchPosition);
  await game.locator('#stake').fill(stake);
  await game.getByRole('button', { name: /^วางเดิมพัน/ }).click();
  await expect(game.getByRole('heading', { name: 'รับบิลแล้ว' })).toBeVisible();
  return matchId;
}
