import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { Language } from './words.ts';

type GamePictures = { code: string; name: string; names?: Record<Language, string>; logo: string; background: string };

/** The games as they are seeded, with a logo and a background of their own each. */
export const seededGames: readonly GamePictures[] = JSON.parse(
  readFileSync(new URL('../../server/seed/games.json', import.meta.url), 'utf8'),
);

/** Shows a page the seeded pictures of all games, for a journey that is about them. */
export async function withSeededPictures(page: Page): Promise<void> {
  const byCode = new Map(seededGames.map(({ code, logo, background }) => [code, { logo, background }]));
  await page.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { slots: { code: string }[] };
    const slots = wallet.slots.map((slot) => ({ ...slot, ...byCode.get(slot.code) }));
    await route.fulfill({ response, json: { ...wallet, slots } });
  });
}

/** Addresses of the pictures in a card that have loaded. */
export const loadedPictures = (card: Locator): Promise<(string | null)[]> =>
  card
    .locator('img')
    .evaluateAll((images: HTMLImageElement[]) =>
      images.filter(({ naturalWidth }) => naturalWidth > 0).map((image) => image.getAttribute('src')),
    );
