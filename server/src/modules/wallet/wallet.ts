import type { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/module.ts';
import type { GameModule } from '../game/module.ts';
import type { IncentiveModule } from '../incentive/module.ts';
import type { InviteModule } from '../invite/module.ts';
import type { SpinwheelModule } from '../spinwheel/module.ts';

/** The whole picture of a member, as the wire says it. */
export type WalletPicture = z.input<(typeof getWallet.reply)[200]>;

/** The wallet is a picture of what these modules know, read in one statement. */
export type WalletDeps = {
  database: Database;
  account: Pick<AccountModule, 'picture'>;
  spinwheel: Pick<SpinwheelModule, 'coins'>;
  game: Pick<GameModule, 'list'>;
  invite: Pick<InviteModule, 'earnings'>;
  incentive: Pick<IncentiveModule, 'storedProgress'>;
  variant: Variant;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error'>;
};
