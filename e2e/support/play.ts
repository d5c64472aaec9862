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
    await expect(game.locator('body')).toBeVisible();
  },
};
