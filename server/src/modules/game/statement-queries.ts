import type { Queryable } from '../../platform/database/database.ts';

/** Every game that ever was, with who runs it and what one minor unit is worth there. */
export async function selectRates(on: Queryable): Promise<{ code: string; provider: string; ftWalletSlot: number }[]> {
  const { rows } = await on.query<{ code: string; provider: string; ftWalletSlot: number }>(
    'select code, provider, ft_wallet_slot as "ftWalletSlot" from game',
  );
  return rows;
}
