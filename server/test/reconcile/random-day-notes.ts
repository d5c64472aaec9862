import type { ApiReply } from '../harness/api-client.ts';

/** As the statement names who gave it. */
export const GIVERS = ['BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'LUCKYDRAW'] as const;
export type Giver = (typeof GIVERS)[number];

/** An answer; `wasLost`: we asked more than once for it, because an earlier one got lost. */
export type Told = ApiReply & { wasLost: boolean };

/**
 * What a person knows of their money without our books: what they paid by their own bank and apps, and what they were answered
 * of incentives. Amounts in minor units.
 */
export type Notes = {
  /** Sent from their own account or app to one of ours that is watched. */
  paidIn: bigint;
  /** Paid, to be seen by a slip that was sent. */
  slips: bigint[];
  /** Gifts whose link was sent: the wallet app reports their outcome. */
  vouchers: string[];
  /** Withdrawals that were taken: which of them were paid the bank tells. */
  payouts: string[];
  /** Incentives that the server answered as received, and what it answered as given back of them. */
  given: Record<Giver, bigint[]>;
  takenBack: bigint[];
  /** Times that it may have happened all the same: the answer was lost, or the client was gone. */
  maybeGiven: Record<Giver, number>;
  maybeTakenBack: number;
};

const ofEach = <Value>(value: () => Value): Record<Giver, Value> => ({
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
  given: ofEach(() => []),
  takenBack: [],
  maybeGiven: ofEach(() => 0),
  maybeTakenBack: 0,
});

/** A number or a decimal text of an answer in minor units. */
export const minorOf = (amount: number | string): bigint => BigInt(Math.round(Number(amount) * 100));

/** Notes what an answer said of an incentive. */
export function noteGiven(notes: Notes, by: Giver, amount: number, told: Told): void {
  if (told.status === 200) notes.given[by].push(minorOf(amount));
  if (told.wasLost) notes.maybeGiven[by] += 1;
}

/** Notes a payment that the person's own bank or app confirmed. */
export function notePaid(notes: Notes, { status, body }: ApiReply): void {
  if (status === 200) notes.paidIn += minorOf(body.amount);
}
