import type { Locator, Page } from '@playwright/test';
import { expect } from './test.ts';
import type { Translate } from './translate.ts';
import { buttonByName, dialogByName } from './user-actions.ts';

/** Stores that the member has accepted the agreement on this device. */
export const rememberAgreement = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const { agreementVersion } = (await (await fetch('/api/lookup/info')).json()) as { agreementVersion: string };
    localStorage.setItem('remember-agreement', agreementVersion);
  });

/**
 * Opens the home page of a member who has accepted the agreement on this device, and waits until everything has loaded.
 * The agreement dialog and its delay have their own journeys.
 */
export async function openHome(page: Page): Promise<void> {
  await rememberAgreement(page);
  await page.goto('/user/home');
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
}

/** Resolves when the page's socket has joined the member's events. Call this before opening the page. */
export function waitForEventSocketJoin(page: Page): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  page.on('websocket', (webSocket) =>
    webSocket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('"joined":true')) resolve();
    }),
  );
  return promise;
}

/** Opens the home page and accepts the agreement, which a browser shows once. */
export async function openHomeAndAgree(page: Page): Promise<void> {
  await page.goto('/user/home');
  const agreementDialog = page.getByRole('dialog', { name: 'ข้อตกลงก่อนใช้งาน' });
  await agreementDialog.getByRole('button', { name: 'รับทราบและยอมรับ' }).click();
  await expect(agreementDialog).toBeHidden();
}

/**
 * Opens the home page and advances its clock by the agreement's delay of 1.5 s: by then the dialog's code has loaded.
 * The page's clock stays paused.
 */
export async function openHomeUntilAgreementIsDue(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.goto('/user/home', { waitUntil: 'networkidle' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.clock.runFor(1_600);
}

/** A failed load removes its placeholder and shows nothing. */
export async function expectNoMessages(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy=true], [role=progressbar], main [role=status][aria-label]')).toHaveCount(0);
  await expect(page.locator('[data-toast]')).toHaveCount(0);
  await expect(page.getByRole('alert')).toHaveCount(0);
}

/**
 * Blocks the event socket of a page from its next load on: the page only polls.
 * @returns allows later connections
 */
export async function blockEventSocket(page: Page): Promise<() => void> {
  let isMute = true;
  await page.routeWebSocket(/\/socket\.io\//, (webSocket) => void (isMute || webSocket.connectToServer()));
  await page.route(/\/socket\.io\/.*transport=polling/, (route) => (isMute ? route.abort() : route.continue()));
  return () => (isMute = false);
}

/** Opens a dialog of the home page and closes the operator's banners in it. */
export async function openSheetAndCloseBanners(
  page: Page,
  translate: Translate,
  tile: 'invite' | 'refund',
): Promise<Locator> {
  const sheet = dialogByName(page, translate(`${tile}:title`));
  await buttonByName(page, translate(`home:${tile}`)).click();
  await buttonByName(sheet, translate('parts:carousel.goOn')).click();
  await expect(buttonByName(sheet, translate('parts:carousel.goOn'))).toHaveCount(0);
  await expect(sheet).toBeVisible();
  return sheet;
}
