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
 * Opens the home page and lets the 1.5 s pass after which it asks for the agreement, if it is going to: by then all that the
 * question needs has come. The page's clock stands still from here on.
 */
export async function passQuestion(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto('/user/home', { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.clock.runFor(1_600);
}

/** What could not be had hides what was shown meanwhile, and says nothing else. */
export async function expectNothingSaid(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true], [role=progressbar], main [role=status][aria-label]')).toHaveCount(0);
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
}

/**
 * Keeps the line of events from a page, from its next loading on: what it loads, it asks for by itself.
 * @returns lets the lines through that are opened from then on
 */
export async function withoutLine(page: Page): Promise<() => void> {
  let isMute = true;
  await page.routeWebSocket(/\/socket\.io\//, (line) => void (isMute || line.connectToServer()));
  await page.route(/\/socket\.io\/.*transport=polling/, (route) => (isMute ? route.abort() : route.continue()));
  return () => (isMute = false);
}

/** Opens a dialog of the home page that the operator shows banners before, and goes on past them. */
export async function openBehindBanners(page: Page, say: Say, tile: 'invite' | 'refund'): Promise<Locator> {
  const sheet = dialog(page, say(`${tile}:title`));
  await button(page, say(`home:${tile}`)).click();
  await button(sheet, say('parts:carousel.goOn')).click();
  await expect(button(sheet, say('parts:carousel.goOn'))).toHaveCount(0);
  await expect(sheet).toBeVisible();
  return sheet;
}
