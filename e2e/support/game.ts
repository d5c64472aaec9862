import type { BrowserContext, Locator, Page, Request } from '@playwright/test';
import { api, type Member } from './member.ts';
import { outsideUrl } from './outside.ts';
import { openHome } from './home.ts';
import { expect } from './test.ts';
import * as walk from './walk.ts';
import { speaking } from './words.ts';

const say = speaking('th');

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
  await walk.card(page, name).press('Enter');
  const dialog = page.getByRole('dialog', { name, exact: true });
  await expect(dialog).toBeVisible();
  return dialog;
}

/** Opens the home page and on it the dialog of a game. What the test does through the API before is shown by this one loading. */
export async function openGameAtHome(page: Page, code: GameCode): Promise<Locator> {
  await openHome(page);
  return openGameDialog(page, GAMES[code]);
}

/** The dialog of a game whose account the test has opened. */
export async function reopenHome(page: Page, code: GameCode): Promise<Locator> {
  await page.reload();
  return openGameDialog(page, GAMES[code]);
}

/** Presses "play". @returns the tab of the game */
export async function playInNewTab(context: BrowserContext, dialog: Locator): Promise<Page> {
  const [game] = await Promise.all([context.waitForEvent('page'), walk.button(dialog, say('game:play')).click()]);
  return game;
}

/** How many rounds a player has made, open and settled, as the provider counts them. */
export async function roundsOf(provider: string, username: string): Promise<number> {
  const counts = await Promise.all(
    ['true', 'false'].map(async (open) => {
      const answer = await fetch(`${outsideUrl()}/games/${provider}/players/${username}/rounds?open=${open}`);
      if (!answer.ok) throw new Error(`rounds answered ${answer.status}: ${await answer.text()}`);
      return ((await answer.json()) as unknown[]).length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** What a provider calls itself on its own pages. */
export async function titleAt(provider: string): Promise<string> {
  const answer = await fetch(`${outsideUrl()}/games/${provider}/about`);
  return ((await answer.json()) as { title: string }).title;
}

/** Username and password as the app shows them. */
export const credentialsOf = (member: Member, code: string) =>
  api<{ username: string; password: string }>('GET', `/api/wallet/account/${code}`, { token: member.token });

/** Comes back to a tab, which a browser under test never hides: only the word of it is missing. */
export async function lookAgain(page: Page): Promise<void> {
  await page.bringToFront();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
}

/**
 * Waits until the games have reported their balances. Two returns within a second count as one, and a running refresh is not
 * started again: play between two returns comes after this.
 */
export const balancesTold = (page: Page): Promise<void> =>
  expect(walk.button(page, say('home:checkBalance'))).toBeVisible();

/** An amount in the dialog; while it counts up, screen readers get the final value. @param amount `40.00` */
export const amountIn = (dialog: Locator, amount: string): Locator =>
  dialog.getByText(`฿${amount}`, { exact: true }).last();

/** Every request that the browser makes outside the app, from now on. */
export function outsideRequests(context: BrowserContext): Request[] {
  const made: Request[] = [];
  context.on('request', (request) => {
    if (request.url().startsWith('http') && !request.url().startsWith(process.env.KRAPAO_URL ?? '')) made.push(request);
  });
  return made;
}
