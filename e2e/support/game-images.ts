import { readFileSync } from 'node:fs';
import type { Locator, Page } from '@playwright/test';
import type { Language } from './translate.ts';

type GameImages = { code: string; name: string; names?: Record<Language, string>; logo: string; background: string };

/** The seeded games, each with its own logo and background. */
export const seededGameImages: readonly GameImages[] = JSON.parse(
  readFileSync(new URL('../../server/seed/games.json', import.meta.url), 'utf8'),
);

/** Serves the seeded images of all games to a page, for journeys about images. */
export async function serveSeededGameImages(page: Page): Promise<void> {
  const imagesByCode = new Map(seededGameImages.map(({ code, logo, background }) => [code, { logo, background }]));
  await page.route('**/api/wallet', async (route) => {
    const response = await route.fetch();
    const wallet = (await response.json()) as { slots: { code: string }[] };
    const slots = wallet.slots.map((slot) => ({ ...slot, ...imagesByCode.get(slot.code) }));
    await route.fulfill({ response, json: { ...wallet, slots } });
  });
}

/** Addresses of the loaded images in a card. */
export const readLoadedImageUrls = (card: Locator): Promise<(string | null)[]> =>
  card
    .locator('img')
    .evaluateAll((images: HTMLImageElement[]) =>
      images.filter(({ naturalWidth }) => naturalWidth > 0).map((image) => image.getAttribute('src')),
    );
