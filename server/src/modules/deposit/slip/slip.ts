import type { SlipReason } from '@krapao/contract/endpoints/deposit/slip';
import { type Currency, type Minor, toWire } from '@krapao/contract/money';
import type { SlipState } from '@krapao/contract/states';

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
