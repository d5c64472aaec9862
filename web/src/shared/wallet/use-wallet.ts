import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Reply } from '../../api/endpoint-types.ts';
import { logFailure } from '../../api/log-failure.ts';
import { followMember } from '../../api/member-events.ts';
import { apiQuery } from '../../api/query.ts';
import { minorOf } from './minor-of.ts';

/** The whole picture of a member. */
export type Wallet = Reply<'GET /api/wallet'>;
export type GameAccount = Wallet['slots'][number];

/** How the wallet is named where an account is asked for. */
export const WALLET = 'WALLET';

/** The event of a transfer comes when its money is there, a moment before its game account is free again: no event says so. */
const UNDER_WAY_AGAIN_MS = 3_000;

/** Between retries of a first load that failed, in ms. */
const FIRST_LOAD_AGAIN_MS = 15_000;

/**
 * The member's wallet, kept current by the member's events, and polled while a transfer is under way. A load that fails is
 * only logged: what was shown stays, and the next event, visit or press of "check balance" loads it again. A first load
 * that failed is also retried by itself.
 */
export function useWallet() {
  const query = useQuery({
    ...apiQuery('GET /api/wallet', { quiet: true }),
    refetchInterval: ({ state: { data, status } }) => {
      if (!data) return status === 'error' && FIRST_LOAD_AGAIN_MS;
      return data.slots.some((game) => game.inProgress) && UNDER_WAY_AGAIN_MS;
    },
  });
  const { data, error } = query;
  useEffect(() => {
    if (data) followMember(data.profile._id, data.eventSequence);
  }, [data]);
  useEffect(() => {
    if (error) logFailure('wallet not loaded', error);
  }, [error]);
  return query;
}

/** What the provider counts for a game account: its amount × ftWalletSlot. */
export function creditOf({ amount, ftWalletSlot }: Pick<GameAccount, 'amount' | 'ftWalletSlot'>): bigint | undefined {
  const units = minorOf(amount);
  return units === undefined || !Number.isSafeInteger(ftWalletSlot) ? undefined : units * BigInt(ftWalletSlot);
}

/** Game accounts that money can be moved to and from. */
export const activeGames = (wallet: Wallet | undefined): GameAccount[] =>
  wallet?.slots.filter((game) => game.isActive && !game.inMaintenance) ?? [];
