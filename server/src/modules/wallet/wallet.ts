import type { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Currency, Minor } from '@krapao/contract/money';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Standing } from '../../ledger/module.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database.ts';
import type { Facet } from '../../platform/facets.ts';

/** The whole picture of a member, as the wire says it. */
export type WalletPicture = z.input<(typeof getWallet.reply)[200]>;

/** What the wallet needs of the others; it is a picture of what they know. All of it is read in one statement. */
export type WalletFacets = {
  /** What lies in each of the member's ledger accounts. */
  standing: Facet<Standing>;
  profile: Facet<
    () => Promise<{ profile: Omit<WalletPicture['profile'], 'coin'>; bankAccount: WalletPicture['bankAccount'] }>
  >;
  /** What the member can turn the wheel with. */
  coins: Facet<(member: { id: string; currency: Currency }) => Promise<number>>;
  /** Games and game accounts; `free`: what may be used, by kind of ledger account. */
  slots: Facet<(free: ReadonlyMap<string, Minor>) => Promise<WalletPicture['slots']>>;
  /** What invited friends have earned the member, and the percents of its condition. */
  invite: Facet<() => Promise<WalletPicture['invite']>>;
  /** The withdrawal that is under way, if any. */
  withdrawal: Facet<WalletPicture['withdrawal']>;
};

export type WalletDeps = {
  database: Database;
  facets: WalletFacets;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error'>;
};
