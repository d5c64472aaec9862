import { STORAGE, TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { readSessionValue, writeSessionValue } from '../api/session.ts';
import type { GameAccount } from './wallet.ts';

/** Last top-up of each game by its code, in wire format (a number); unchecked. */
const readAll = (): Record<string, unknown> => (readSessionValue(STORAGE.lastTopUps) ?? {}) as Record<string, unknown>;

/** Remembers the amount that was moved into a game, for the rest of the session. */
export const rememberTopUp = (code: string, amount: number): void =>
  writeSessionValue(STORAGE.lastTopUps, { ...readAll(), [code]: amount });

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
