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
    await betOnMatch(game, 2, '10');
  },
};

/**
 * Opens the slip for the home side of a match. A match that begins meanwhile moves the others up: once chosen it is itself.
 * @param fromEnd 1 for the last of the list
 * @returns the number of the match
 */
export async function pickHome(game: Page, fromEnd: number): Promise<number> {
  const cards = game.locator('.coming-card');
  await expect(cards.first()).toBeVisible();
  const name = await cards.evaluateAll(
    (all, place) => all.at(-place)?.querySelector<HTMLElement>('button[data-pick*=\'"home"\']')?.dataset['name'] ?? '',
    fromEnd,
  );
  await game.locator(`button[data-name="${name}"]`).click();
  return Number(name.split(':')[0]);
}

/**
 * Bets that the home side of a match wins. The matches furthest ahead stand still, and their odds with them.
 * @param fromEnd 1 for the last of the list, 2 for the one before it; what ends a match has one of its own
 * @param stake credit, as typed
 * @returns the number of the match
 */
export async function betOnMatch(game: Page, fromEnd: number, stake: string): Promise<number> {
  const matchId = await pickHome(game, fromEnd);
  await game.locator('#stake').fill(stake);
  await game.getByRole('button', { name: /^วางเดิมพัน/ }).click();
  await expect(game.getByRole('heading', { name: 'รับบิลแล้ว' })).toBeVisible();
  return matchId;
}
