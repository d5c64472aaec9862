import type { Reply } from '../../api/endpoint-types.ts';
import type { FullBalance } from './full-balance.ts';

export type Limits = Reply<'GET /api/lookup/withdraw'>;

/** Why a withdrawal isn't asked for: a key of the words, and the amount that they name. */
export type WithdrawFault = { kind: 'minimumAmount' | 'maximumAmount' | 'notEnough'; amount: number };

/** The first thing that stands in the way of an amount. */
export function faultOf(amount: number, limits: Limits, fullBalance: FullBalance): WithdrawFault | undefined {
  if (amount < limits.withdrawMin) return { kind: 'minimumAmount', amount: limits.withdrawMin };
  if (amount > limits.withdrawMax) return { kind: 'maximumAmount', amount: limits.withdrawMax };
  if (amount > fullBalance.total && !fullBalance.isUncertain) return { kind: 'notEnough', amount: fullBalance.total };
  return undefined;
}
