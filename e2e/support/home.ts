import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';
import { button, dialog } from './walk.ts';
import type { Say } from './words.ts';

/**
 * Opens the home page of a member who has accepted the agreement on this device before, and waits until all that it shows
 * is there. The question itself, and its 1.5 s, belong to the journeys that are about it.
 */
export async function openHome(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const { agreementVersion } = (await (await fetch('/api/lookup/info')).json()) as { agreementVersion: string };
    localStorage.setItem('remember-agreement', agreementVersion);
  });
  await page.goto('/user/home');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
}

/** Resolves when the page's line to the server is open and the member's events come over it. Ask before opening the page. */
export function joinedLine(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  page.on('websocket', (line) =>
    line.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"joined":true')) resolve();
    }),
  );
  return promise;
}

/** Opens the home page and accepts the agreement there, which a browser is asked for once. */
export async function openHomeAndAgree(page: Page): Promise<void> {
  await page.goto('/user/home');
  const agreement = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  await agreement.getByRole('button', { name: 'รับทราบและยอมรับ' }).click();
  await expect(agreement).toBeHidden();
}

/**
 * Opens the home page and advances its clock by the 1.5 s after which it asks for the agreement: by then everything for the
 * question has loaded. The page's clock is stopped from here on.
 */
export async function passQuestion(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto('/user/home', { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.clock.runFor(1_600);
}

/** A failed load removes its placeholder and shows nothing. */
export async function expectNothingSaid(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true], [role=progressbar], main [role=status][aria-label]')).toHaveCount(0);
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
}

/**
 * Blocks the event socket of a page from its next load on: it only polls.
 * @returns lets later connections through
 */
export async function withoutLine(page: Page): Promise<() => void> {
  let isMute = true;
  await page.routeWebSocket(/\/socket\.io\//, (line) => void (isMute || line.connectToServer()));
  await page.route(/\/socket\.io\/.*transport=polling/, (route) => (isMute ? route.abort() : route.continue()));
  return () => (isMute = false);
}

/** Opens a dialog of the home page and closes the operator's banners before it. */
export async function openBehindBanners(page: Page, say: Say, tile: 'invite' | 'refund'): Promise<Locator> {
  const sheet = dialog(page, say(`${tile}:title`));
  await button(page, say(`home:${tile}`)).click();
  await button(sheet, say('parts:carousel.goOn')).click();
  await expect(button(sheet, say('parts:carousel.goOn'))).toHaveCount(0);
  await expect(sheet).toBeVisible();
  return sheet;
}
