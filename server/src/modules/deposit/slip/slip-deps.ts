import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { ObjectStorage } from '../../../platform/storage/port.ts';
import type { RateLimits } from '../../../platform/http/limits/rate-limit.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { WorkerPool } from '../../../platform/jobs/worker-pool.ts';
import type { SlipLookupService } from '../../../counterparties/slip-lookup/port.ts';
import type { AccountModule } from '../../account/module.ts';
import type { BankTransferModule } from '../bank-transfer/module.ts';
import type { QrcodeModule } from '../qrcode/module.ts';
import type { OperatorData } from '../../lookup/module.ts';
import type { PictureReading } from './reading/read-picture.ts';

/** What the use cases of `slip` work with. */
export type SlipDeps = {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  operatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen' | 'bankAccountOf'>;
  bankTransfer: Pick<BankTransferModule, 'sight' | 'find' | 'creditArrival'>;
  bank: SlipLookupService;
  reader: Pick<WorkerPool<Uint8Array, PictureReading>, 'run'>;
  qrcode: Pick<QrcodeModule, 'wakeQrcode'>;
  /** Where this system is reached from outside. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the worker of this process that a slip came. */
  wakeWork: () => void;
};
