import type { BrowserContext, Locator, Page, Request } from '@playwright/test';
import { openHome } from './home.ts';
import { api, type Member } from './member.ts';
import { simulatorsUrl } from './simulators.ts';
import { expect } from './test.ts';
import { translatorFor } from './translate.ts';
import * as walk from './user-actions.ts';

const translate = translatorFor('th');

/** The games of the demonstration site by their codes, which are their providers' names too. */
export const GAMES = {
  pg: 'PG SLOT',
  joker2: 'Joker Parade',
  betflix: 'Betflix',
  areaslot: 'Area Slot',
  huayhd: 'Huay HD',
  askmebet: 'ASKMEBET',
  imi: 'IMI Sport',
  usun: 'U-Sun Sport',
  circus: 'Circus Sport',
  slotracha: 'Slot Racha',
  pgslot: 'PGSLOT Thai',
  naga: 'Naga River',
  saming: 'Saming Ring',
  royal: 'Royal Palace',
} as const;
export type GameCode = keyof typeof GAMES;

/** Opens a game from its card on the home page, at any position of its carousel. @param name name of the game */
export async function openGameDialog(page: Page, name: string): Promise<Locator> {
  await walk.gameCard(page, name).press('Enter');
  const dialog = page.getByRole('dialog', { name, exact: true });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Opens the home page and a game's dialog. Earlier API calls of the test are visible after this load. */
export async function openGameFromHome(page: Page, code: GameCode): Promise<Locator> {
  await openHome(page);
  return openGameDialog(page, GAMES[code]);
}

/** Shows login data and transfer-only of a game that a link opens. */
export const openMoreOptions = (dialog: Locator): Promise<void> =>
  dialog.locator('summary', { hasText: translate('game:more') }).click();

/** Shows the button that opens an account without playing. @returns the button */
export async function openAccountOption(dialog: Locator): Promise<Locator> {
  await dialog.locator('summary', { hasText: translate('game:openOnly') }).click();
  return walk.buttonByName(dialog, translate('game:open'));
}

/** Opens the home page and a game's dialog with login data and transfer-only shown. A link opens the game. */
export async function openGameWithOptions(page: Page, code: GameCode): Promise<Locator> {
  const dialog = await openGameFromHome(page, code);
  await openMoreOptions(dialog);
  return dialog;
}

/** Reloads the home page and opens the dialog of a game with an account. */
export async function reopenGameDialog(page: Page, code: GameCode): Promise<Locator> {
  await page.reload();
  return openGameDialog(page, GAMES[code]);
}

/** Presses "play". @returns the tab of the game */
export async function playInNewTab(context: BrowserContext, dialog: Locator): Promise<Page> {
  const [game] = await Promise.all([
    context.waitForEvent('page'),
    walk.buttonByName(dialog, translate('game:play')).click(),
  ]);
  return game;
}

/** Number of a player's rounds, open and settled, at the provider. */
export async function countGameRounds(provider: string, username: string): Promise<number> {
  const counts = await Promise.all(
    ['true', 'false'].map(async (isOpen) => {
      const reply = await fetch(`${simulatorsUrl()}/games/${provider}/players/${username}/rounds?open=${isOpen}`);
      if (!reply.ok) throw new Error(`rounds answered ${reply.status}: ${await reply.text()}`);
      return ((await reply.json()) as unknown[]).length;
    }),
  );
  return counts.reduce((total, count) => total + count, 0);
}

/** Title of a provider on its own pages. */
export async function readProviderTitle(provider: string): Promise<string> {
  const reply = await fetch(`${simulatorsUrl()}/games/${provider}/about`);
  return ((await reply.json()) as { title: string }).title;
}

/** Username and password, as displayed by the app. */
export const readGameCredentials = (member: Member, code: string) =>
  api<{ username: string; password: string }>('GET', `/api/wallet/account/${code}`, { token: member.token });

/** Simulates returning to the tab: a browser under test never hides a tab, so only the event is dispatched. */
export async function simulateTabReturn(page: Page): Promise<void> {
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
}

/**
 * Waits until the games have reported their balances. Two returns within a second count as one, and a running refresh
 * is not restarted: play between two returns belongs after this wait.
 */
export const waitForBalancesRequest = (page: Page): Promise<void> =>
  expect(walk.buttonByName(page, translate('home:checkBalance'))).toBeVisible();

/** An amount in the dialog; during the count-up, screen readers get the final value. @param amount `40.00` */
export const dialogAmount = (dialog: Locator, amount: string): Locator =>
  dialog.getByText(`฿${amount}`, { exact: true }).last();

/** Records every request of the browser to other hosts, from now on. */
export function recordExternalRequests(context: BrowserContext): Request[] {
  const madeRequests: Request[] = [];
  context.on('request', (request) => {
    if (request.url().startsWith('http') && !request.url().startsWith(process.env.KRAPAO_URL ?? ''))
      madeRequests.push(request);
  });
  return madeRequests;
}
