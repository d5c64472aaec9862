import type { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Currency, Minor } from '@krapao/contract/money';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Standing } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { SnapshotPart } from '../../platform/database/member-snapshot.ts';

/** The whole picture of a member, as the wire says it. */
export type WalletPicture = z.input<(typeof getWallet.reply)[200]>;

/** What the wallet needs of the others; it is a picture of what they know. All of it is read in one statement. */
export type WalletSnapshotParts = {
  /** What lies in each of the member's ledger accounts. */
  standing: SnapshotPart<Standing>;
  profile: SnapshotPart<
    () => Promise<{ profile: Omit<WalletPicture['profile'], 'coin'>; bankAccount: WalletPicture['bankAccount'] }>
  >;
  /** What the member can turn the wheel with. */
  coins: SnapshotPart<(member: { id: string; currency: Currency }) => Promise<number>>;
  /** Games and game accounts; `free`: what may be used, by kind of ledger account. */
  slots: SnapshotPart<(free: ReadonlyMap<string, Minor>) => Promise<WalletPicture['slots']>>;
  /** What invited friends have earned the member, and the percents of its condition. */
  invite: SnapshotPart<() => Promise<WalletPicture['invite']>>;
  /** The withdrawal that is under way, if any. */
  withdrawal: SnapshotPart<WalletPicture['withdrawal']>;
};

export type WalletDeps = {
  database: Database;
  parts: WalletSnapshotParts;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error'>;
};
