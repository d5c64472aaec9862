import { STORAGE } from '@krapao/contract/constants';
import type { Currency } from '@krapao/contract/money';
import { useEffect, useState } from 'react';
import { serverNow } from '../../api/call.ts';
import { readSessionValue, writeSessionValue } from '../../api/session.ts';
import type { Reply } from '../../api/types.ts';
import type { Wallet } from '../../member/wallet.ts';

type List = Reply<'POST /api/statement'>;
type Games = Wallet['slots'];

/** The newest page of an earlier visit. Display only. */
export type LastStatement = { list: List; games: Games; currency: Currency; at: string };

const AGE_MAX_MS = 30 * 24 * 3_600_000;

/** The newest page that this session has loaded; undefined without one, or if it is malformed or older than 30 days. */
function readLastStatement(): LastStatement | undefined {
  const stored = (readSessionValue(STORAGE.lastStatement) ?? {}) as Partial<LastStatement>;
  const isFresh = serverNow() - Date.parse(stored.at ?? '') < AGE_MAX_MS;
  return isFresh && Array.isArray(stored.list?.statements) && Array.isArray(stored.games)
    ? (stored as LastStatement)
    : undefined;
}

/**
 * The newest page of an earlier visit. Keeps the loaded one for the next.
 * @param list a page of the statement; undefined until it is loaded
 * @param isNewest whether it is, or will be, the newest page without a filter
 */
export function useLastStatement(
  list: List | undefined,
  wallet: Wallet | undefined,
  isNewest: boolean,
): LastStatement | undefined {
  const [last] = useState(readLastStatement);
  useEffect(() => {
    if (!isNewest || !list || !wallet) return;
    const { slots: games, profile } = wallet;
    const at = new Date(serverNow()).toISOString();
    writeSessionValue(STORAGE.lastStatement, { list, games, currency: profile.currency, at });
  }, [isNewest, list, wallet]);
  return isNewest ? last : undefined;
}
