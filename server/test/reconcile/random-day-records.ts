import type { ApiReply } from '../harness/api-client.ts';

/** Source of a grant in the statement. */
export const GRANT_SOURCES = ['BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'LUCKYDRAW'] as const;
export type GrantSource = (typeof GRANT_SOURCES)[number];

/** A reply; `wasLost`: an earlier reply was lost, and the request was repeated. */
export type RetriedReply = ApiReply & { wasLost: boolean };

/**
 * A person's own records, independent of the ledger: payments by their bank and apps, and confirmed
 * incentives. Amounts in minor units.
 */
export type MoneyRecords = {
  /** Sent from their own account or app to an own account with a feed. */
  paidInTotal: bigint;
  /** Paid, and reported by a slip. */
  slipAmounts: bigint[];
  /** Gifts whose link was sent. The wallet app has their outcome. */
  giftLinks: string[];
  /** Accepted withdrawals. Their outcome is the bank's. */
  payoutReferences: string[];
  /** Confirmed incentives, and confirmed returned amounts. */
  confirmedGrants: Record<GrantSource, bigint[]>;
  takenBack: bigint[];
  /** Number of requests with a lost reply, which may have succeeded. */
  unconfirmedGrants: Record<GrantSource, number>;
  unconfirmedReturns: number;
};

const recordOfSources = <Value>(value: () => Value): Record<GrantSource, Value> => ({
  BONUS: value(),
  PROMOTION: value(),
  REFUND: value(),
  INVITE: value(),
  LUCKYDRAW: value(),
});

export const emptyMoneyRecords = (): MoneyRecords => ({
  paidInTotal: 0n,
  slipAmounts: [],
  giftLinks: [],
  payoutReferences: [],
  confirmedGrants: recordOfSources(() => []),
  takenBack: [],
  unconfirmedGrants: recordOfSources(() => 0),
  unconfirmedReturns: 0,
});

/** A number or decimal text of a reply, in minor units. */
export const parseMinor = (amount: number | string): bigint => BigInt(Math.round(Number(amount) * 100));

/** Records the reply about an incentive. */
export function recordGrant(
  records: MoneyRecords,
  grantSource: GrantSource,
  amount: number,
  reply: RetriedReply,
): void {
  if (reply.status === 200) records.confirmedGrants[grantSource].push(parseMinor(amount));
  if (reply.wasLost) records.unconfirmedGrants[grantSource] += 1;
}

/** Records a payment confirmed by the person's bank or app. */
export function recordPayment(records: MoneyRecords, { status, body }: ApiReply): void {
  if (status === 200) records.paidInTotal += parseMinor(body.amount);
}
