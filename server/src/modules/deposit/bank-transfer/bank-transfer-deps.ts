import type { FastifyBaseLogger } from 'fastify';
import type { Ledger } from '../../../ledger/module.ts';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { AccountModule } from '../../account/module.ts';
import type { QrcodeModule } from '../qrcode/module.ts';
import type { OperatorData } from '../../lookup/module.ts';

/** What the use cases of `bank-transfer` work with. */
export type BankTransferDeps = {
  database: Database;
  ledger: Pick<Ledger, 'postStep'>;
  clock: Clock;
  account: Pick<AccountModule, 'assertWalletOpen' | 'memberById' | 'bankAccountOf' | 'holdersAt' | 'memberOfPhone'>;
  operatorData: () => Promise<OperatorData>;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  qrcode: Pick<QrcodeModule, 'wakeQrcode'>;
  /** Tells the jobs of this process that something fell due. */
  wakeWork: () => void;
};

/** Lease of a claimed transfer: a few statements and one post to the ledger. */
export const LEASE_MS = 10_000;
