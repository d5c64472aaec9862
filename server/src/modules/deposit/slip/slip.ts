import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import type { SlipState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { Clock } from '../../../platform/time.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { ObjectStorage } from '../../../platform/storage/port.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { WorkerPool } from '../../../platform/jobs/worker-pool.ts';
import type { SlipLookupService } from '../../../adapters/slip-lookup.ts';
import type { AccountModule } from '../../account/index.ts';
import type { BankTransferModule } from '../bank-transfer/index.ts';
import type { QrcodeModule } from '../qrcode/index.ts';
import type { SiteConfig } from '../../lookup/index.ts';
import type { ImageReading } from './read-image.ts';

/** Why an operator has a slip. The member sees it in progress for those in REVIEWED, else UNKNOW_ERROR. */
export type ManualReason =
  | 'BANK_SILENT'
  | 'STORAGE'
  | 'READER'
  | 'CURRENCY'
  | 'DISPUTED'
  | 'SEVERAL_ACCOUNTS'
  /** Other members look like its sender too. */
  | 'SEVERAL'
  | 'TOO_NEW';

export type Slip = {
  id: string;
  memberId: string;
  reference: string;
  currency: Currency;
  state: SlipState;
  reason: SlipReason | ManualReason | null;
  /** When it was sent. Like every moment here the database's. */
  createdAt: Date;
  uploadKey: string | null;
  pictureKey: string | null;
  /** The folder that has the file; null: a bucket. */
  folderId: string | null;
  sendingBank: string | null;
  transRef: string | null;
  amount: Minor | null;
  /** A refusal that waits for a moment: the transfer may be credited to its owner meanwhile, and then it is a duplicate. */
  verdict: SlipReason | null;
  /** Who decided it in place of the rules: `operator:NAME`. */
  decidedBy: `operator:${string}` | null;
  tries: number;
  /** How often in a row the bank has refused to tell. */
  refusals: number;
};

/** The bank refuses this often, then it is final. */
export const REFUSALS_MAX = 3;
/** With the pauses between them somewhat more than an hour. */
export const TRIES_MAX = 22;
/** The owner of a transfer may be sending the same slip at this moment: they come first. */
export const VERDICT_PAUSE_MS = 1_500;
/** A picture's address works this long. */
export const LINK_SECONDS = 300;

/** Why people look at a slip that is none the worse for it: to the member it is in progress. */
const REVIEWED: ReadonlySet<string> = new Set<ManualReason>([
  'SEVERAL',
  'TOO_NEW',
  'SEVERAL_ACCOUNTS',
  'DISPUTED',
  'CURRENCY',
]);

const STATUS = {
  RECEIVED: 'PROCESSING',
  READ: 'PROCESSING',
  MANUAL: 'FAILED',
  FAILED: 'FAILED',
  CREDITED: 'SUCCESS',
} as const satisfies Record<SlipState, string>;

/** As the member sees it. */
export function toWireSlip(slip: Slip, link: string | null) {
  const underReview = slip.state === 'MANUAL' && slip.reason !== null && REVIEWED.has(slip.reason);
  return {
    _id: slip.id,
    createdAt: slip.createdAt.toISOString(),
    amount: slip.amount === null ? null : toWire(slip.amount),
    status: underReview ? ('PROCESSING' as const) : STATUS[slip.state],
    note: noteOf(slip, underReview),
    underReview,
    link,
    reference: slip.reference,
  };
}

function noteOf({ state, reason }: Slip, underReview: boolean): SlipReason | null {
  if (state !== 'MANUAL') return reason as SlipReason | null;
  return underReview ? null : 'UNKNOW_ERROR';
}

/** What the use cases of `slip` work with. */
export type SlipDeps = {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  operatorData: () => Promise<SiteConfig>;
  account: Pick<AccountModule, 'assertWalletOpen' | 'bankAccountOf'>;
  bankTransfer: Pick<BankTransferModule, 'sight' | 'find' | 'creditArrival'>;
  bank: SlipLookupService;
  reader: Pick<WorkerPool<Uint8Array, ImageReading>, 'run'>;
  qrcode: Pick<QrcodeModule, 'wakeQrcode'>;
  /** Where this system is reached from outside. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Tells the worker of this process that a slip came. */
  wakeWork: () => void;
};
