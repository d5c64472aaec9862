import { STORAGE, TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { sessionStore } from '../api/session.ts';
import type { GameAccount } from './wallet.ts';

/** Last top-up of each game by its code, in wire format (a number); unchecked. */
function readAll(): Record<string, unknown> {
  try {
    return JSON.parse(sessionStore()?.getItem(STORAGE.lastTopUps) ?? '{}') as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** Remembers the amount that was moved into a game, for the rest of the session. */
export function rememberTopUp(code: string, amount: number): void {
  try {
    sessionStore()?.setItem(STORAGE.lastTopUps, JSON.stringify({ ...readAll(), [code]: amount }));
  } catch {
    // A full storage: the next play starts without an amount.
  }
}

/**
 * Amount that fills a game up to its last top-up, limited by the wallet.
 * @param free free amount of the wallet · @returns 0 without an earlier top-up, or below the minimum of a transfer
 */
export function nextTopUp(game: Pick<GameAccount, 'code' | 'amount'>, free: number): number {
  const last = readAll()[game.code];
  if (typeof last !== 'number' || !Number.isFinite(last)) return 0;
  const cents = Math.min(Math.round((last - game.amount) * 100), Math.round(free * 100));
  return cents < TRANSFER_MINIMUM * 100 ? 0 : cents / 100;
}
