import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import type { SlipState } from '@krapao/contract/states';
import type { FastifyBaseLogger } from 'fastify';
import type { SlipLookupService } from '../../../adapters/slip-lookup.ts';
import type { SecretBox } from '../../../platform/crypto/secret-box.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { RateLimits } from '../../../platform/http/rate-limit.ts';
import type { WorkerPool } from '../../../platform/jobs/worker-pool.ts';
import type { ObjectStorage } from '../../../platform/storage/port.ts';
import type { Clock } from '../../../platform/time.ts';
import type { AccountModule } from '../../account/index.ts';
import type { Notice } from '../../notification/index.ts';
import type { OperatorData } from '../../operator-data/index.ts';
import type { BankTransferModule } from '../bank-transfer/index.ts';
import type { BonusChoice } from '../bonus-choice.ts';
import type { QrcodeModule } from '../qrcode/index.ts';
import type { ImageReading } from './read-image.ts';

/** Reason why a slip waits for an operator. Members see PROCESSING for UNDER_REVIEW_REASONS, else UNKNOW_ERROR. */
export type ManualReason =
  | 'BANK_SILENT'
  | 'STORAGE'
  | 'READER'
  | 'CURRENCY'
  | 'DISPUTED'
  | 'SEVERAL_ACCOUNTS'
  /** Several members match the sender. */
  | 'SEVERAL'
  | 'TOO_NEW';

export type Slip = {
  id: string;
  memberId: string;
  reference: string;
  currency: Currency;
  state: SlipState;
  reason: SlipReason | ManualReason | null;
  /** Time of the upload, by the database's clock. */
  createdAt: Date;
  uploadKey: string | null;
  imageKey: string | null;
  /** The storage folder of the file; null: a bucket. */
  folderId: string | null;
  sendingBank: string | null;
  transRef: string | null;
  amount: Minor | null;
  /** A delayed refusal. If the transfer is credited to its owner before, the slip becomes a duplicate. */
  verdict: SlipReason | null;
  /** The deciding operator: `operator:NAME`. */
  decidedBy: `operator:${string}` | null;
  /** The bonus that the member chose with it. */
  bonusCode: string | null;
  tries: number;
  /** Consecutive refused look-ups. */
  refusals: number;
};

/** Number of consecutive refused look-ups after which a slip fails. */
export const REFUSALS_MAX = 3;
/** Somewhat more than an hour with the back-off. */
export const TRIES_MAX = 22;
/** Delay of a refusal: the owner of the transfer may be sending the same slip, and takes precedence. */
export const VERDICT_DELAY_MS = 1_500;
/** Validity of an image URL. */
export const IMAGE_URL_SECONDS = 300;

/** Reasons that do not make a slip invalid: members see the slip as in progress. */
const UNDER_REVIEW_REASONS: ReadonlySet<string> = new Set<ManualReason>([
  'SEVERAL',
  'TOO_NEW',
  'SEVERAL_ACCOUNTS',
  'DISPUTED',
  'CURRENCY',
]);

const WIRE_STATUS = {
  RECEIVED: 'PROCESSING',
  READ: 'PROCESSING',
  MANUAL: 'FAILED',
  FAILED: 'FAILED',
  CREDITED: 'SUCCESS',
} as const satisfies Record<SlipState, string>;

export function toWireSlip(slip: Slip, link: string | null) {
  const underReview = slip.state === 'MANUAL' && slip.reason !== null && UNDER_REVIEW_REASONS.has(slip.reason);
  return {
    _id: slip.id,
    createdAt: slip.createdAt.toISOString(),
    amount: slip.amount === null ? null : toWire(slip.amount),
    status: underReview ? ('PROCESSING' as const) : WIRE_STATUS[slip.state],
    note: toNote(slip, underReview),
    underReview,
    link,
    reference: slip.reference,
  };
}

function toNote({ state, reason }: Slip, underReview: boolean): SlipReason | null {
  if (state !== 'MANUAL') return reason as SlipReason | null;
  return underReview ? null : 'UNKNOW_ERROR';
}

/** Notifies the member of a refused slip. */
export const refusalNotice = (
  { memberId, reference }: Pick<Slip, 'memberId' | 'reference'>,
  reason: SlipReason,
  at: Date,
): Notice => ({ memberId, kind: 'refused', reference, at, facts: { subject: 'slip', reason } });

export type SlipDeps = {
  database: Database;
  storage: ObjectStorage;
  clock: Clock;
  rateLimits: RateLimits;
  secretBox: SecretBox;
  readOperatorData: () => Promise<OperatorData>;
  account: Pick<AccountModule, 'assertWalletOpen' | 'bankAccountOf'>;
  bonusChoice: BonusChoice;
  bankTransfer: Pick<BankTransferModule, 'record' | 'find' | 'credit'>;
  bank: SlipLookupService;
  reader: Pick<WorkerPool<Uint8Array, ImageReading>, 'run'>;
  qrcode: Pick<QrcodeModule, 'requestInquiry'>;
  /** Public base URL of this system. */
  publicUrl: string;
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  /** Wakes the resolver of this process when a slip is due. */
  wakeResolver: () => void;
};
