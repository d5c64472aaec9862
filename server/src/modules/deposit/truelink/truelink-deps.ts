import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { RateLimits } from '../../../platform/http/limits/rate-limit.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { GiftRedeemer } from '../../../counterparties/wallet-app/port.ts';
import type { AccountModule } from '../../account/module.ts';
import type { OperatorData } from '../../lookup/module.ts';

/** What the use cases of `truelink` work with. */
export type TruelinkDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postStep'>;
  clock: Clock;
  secretBox: SecretBox;
  rateLimits: RateLimits;
  operatorData: () => Promise<OperatorData>;
  /** Undefined without an agreement with the wallet app. */
  redeemer: GiftRedeemer | undefined;
  /** What the app encrypts links with. It is public. */
  secret: string;
  account: Pick<AccountModule, 'assertWalletOpen'>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the resolver of this process that something fell due. */
  wakeResolver(): void;
};

const LEASE_MARGIN_MS = 3_000;

/** Lease of a link: an inquiry, a call to redeem, the ledger. */
export const leaseMs = ({ timeoutMs }: Pick<GiftRedeemer, 'timeoutMs'>): number => 2 * timeoutMs + LEASE_MARGIN_MS;
