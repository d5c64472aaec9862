import type { Queryable } from '../../platform/database/database.ts';
import { Refusal } from '../../platform/refusal.ts';
import { isSuspended } from './queries.ts';

/** An operator has closed the member's wallet. */
export const noWallet = (): Refusal => new Refusal('NO_WALLET', { detail: 'SUSPENDED' });

/** Throws NO_WALLET when an operator has closed the member's wallet. */
export async function assertWalletOpen(on: Queryable, memberId: string): Promise<void> {
  if (await isSuspended(on, memberId)) throw noWallet();
}
