import type { ApiReply } from '../harness/api-client.ts';

/** Source of a grant in the statement. */
export const GIVERS = ['BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'LUCKYDRAW'] as const;
export type GrantSource = (typeof GIVERS)[number];

/** A reply; `wasLost`: an earlier reply was lost, and the request was repeated. */
export type RetriedReply = ApiReply & { wasLost: boolean };

/**
 * A person's own records, independent of the ledger: payments by their bank and apps, and confirmed
 * incentives. Amounts in minor units.
 */
export type Notes = {
  /** Sent from their own account or app to an own account with a feed. */
  paidIn: bigint;
  /** Paid, and reported by a slip. */
  slips: bigint[];
  /** Gifts whose link was sent. Their outcome is the wallet app's. */
  vouchers: string[];
  /** Accepted withdrawals. Their outcome is the bank's. */
  payouts: string[];
  /** Confirmed incentives, and confirmed returned amounts. */
  granted: Record<GrantSource, bigint[]>;
  takenBack: bigint[];
  /** Number of requests with a lost reply, which may have succeeded. */
  maybeGranted: Record<GrantSource, number>;
  maybeTakenBack: number;
};

const ofEach = <Value>(value: () => Value): Record<GrantSource, Value> => ({
  BONUS: value(),
  PROMOTION: value(),
  REFUND: value(),
  INVITE: value(),
  LUCKYDRAW: value(),
});

export const emptyNotes = (): Notes => ({
  paidIn: 0n,
  slips: [],
  vouchers: [],
  payouts: [],
  granted: ofEach(() => []),
  takenBack: [],
  maybeGranted: ofEach(() => 0),
  maybeTakenBack: 0,
});

/** A number or decimal text of a reply, in minor units. */
export const minorOf = (amount: number | string): bigint => BigInt(Math.round(Number(amount) * 100));

/** Records the reply about an incentive. */
export function noteGrant(notes: Notes, by: GrantSource, amount: number, reply: RetriedReply): void {
  if (reply.status === 200) notes.granted[by].push(minorOf(amount));
  if (reply.wasLost) notes.maybeGranted[by] += 1;
}

/** Records a payment confirmed by the person's bank or app. */
export function notePaid(notes: Notes, { status, body }: ApiReply): void {
  if (status === 200) notes.paidIn += minorOf(body.amount);
}
