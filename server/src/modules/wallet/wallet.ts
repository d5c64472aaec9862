import type { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Minor } from '@krapao/contract/money';
import type { z } from 'zod';
import type { Ledger } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';

/** The whole picture of a member, as the wire says it. */
export type WalletPicture = z.input<(typeof getWallet.reply)[200]>;

/** What the wallet needs of the others; it is a picture of what they know. */
export type WalletDeps = {
  database: Database;
  ledger: Pick<Ledger, 'balances' | 'lastEvent'>;
  clock: Clock;
  profileOf(memberId: string): Promise<{
    profile: Omit<WalletPicture['profile'], 'coin'>;
    bankAccount: WalletPicture['bankAccount'];
  }>;
  /** Games and game accounts; `free`: what may be used, by kind of ledger account. */
  slotsOf(memberId: string, free: ReadonlyMap<string, Minor>): Promise<WalletPicture['slots']>;
  /** The withdrawal that is under way, if any. */
  withdrawalOf(memberId: string): Promise<WalletPicture['withdrawal']>;
};
