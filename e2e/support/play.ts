import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';

/** What a game is played on. */
export type GameKind = 'slot' | 'sports' | 'lotto';

/** The credit that a game's page shows. */
export const creditShown = (game: Page): Locator => game.locator('#balance');

/** Makes a bet the way a person does on the page of a game, which must speak Thai. */
export async function betOnPage(game: Page, kind: GameKind): Promise<void> {
  await bets[kind](game);
}

const bets: Readonly<Record<GameKind, (game: Page) => Promise<void>>> = {
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
    await betOnMatch(game, KEPT, '10');
  },
};

/**
 * A match that is still to come, by its number, which is one more each three minutes: among those with an even or an odd one,
 * 1 for the last of the list. No test ends an even one, also when the others have moved up by one; a test
 * that ends a match takes an odd one, at its own index.
 */
export type Place = { numbered: 'even' | 'odd'; fromEnd: number };

/** A match that stays as it is. */
export const KEPT: Place = { numbered: 'even', fromEnd: 1 };

/**
 * Opens the slip for the home side of a match. When a match begins, the others move up; a chosen match stays the same.
 * @returns the number of the match
 */
export async function pickHome(game: Page, place: Place): Promise<number> {
  const cards = game.locator('.coming-card');
  await expect(cards.first()).toBeVisible();
  const name = await cards.evaluateAll((all, { numbered, fromEnd }) => {
    const names = all.map(
      (card) => card.querySelector<HTMLElement>('button[data-pick*=\'"home"\']')?.dataset['name'] ?? '',
    );
    const remainder = numbered === 'odd' ? 1 : 0;
    const fitting = names.filter((one) => Number(one.split(':')[0]) % 2 === remainder);
    // Tests that are repeated have ended some already.
    return fitting.at(-fromEnd) ?? fitting.at(-1) ?? '';
  }, place);
  await game.locator(`button[data-name="${name}"]`).click();
  return Number(name.split(':')[0]);
}

/**
 * Bets that the home side of a match wins. The matches furthest ahead stand still, and their odds with them.
 * @param stake credit, as typed
 * @returns the number of the match
 */
export async function betOnMatch(game: Page, place: Place, stake: string): Promise<number> {
  const matchId = await pickHome(game, place);
  await game.locator('#stake').fill(stake);
  await game.getByRole('button', { name: /^วางเดิมพัน/ }).click();
  await expect(game.getByRole('heading', { name: 'รับบิลแล้ว' })).toBeVisible();
  return matchId;
}
