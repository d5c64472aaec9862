import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { OperationType } from './operation.ts';

/** State of a movement from the member's view. */
export type Progress = 'PROCESSING' | 'SUCCESS' | 'FAILED';

/** A money event of a member, as the socket sends it. */
export type LedgerEvent = {
  /** Grows with every event of a member. */
  operationId: bigint;
  memberId: string;
  type: OperationType;
  kind: string;
  state: Progress;
  reference: string;
  /** Signed change of the free money in the wallet; 0 when it happened elsewhere, or when a hold is posted. */
  amount: Minor;
  at: Date;
};

/** An applied operation with the names of its two accounts: the kind of a member account, '' for one of the house. */
export type MovedMoney = {
  type: OperationType;
  /** More than 0; 0 only for a `mark`, and for an `adjust` without a difference. */
  amount: bigint;
  debit: string;
  credit: string;
};

const PROGRESS: Record<OperationType, Progress> = {
  transfer: 'SUCCESS',
  adjust: 'SUCCESS',
  mark: 'SUCCESS',
  hold: 'PROCESSING',
  post: 'SUCCESS',
  void: 'FAILED',
};

export const progressOf = (type: OperationType): Progress => PROGRESS[type];

/**
 * By how much an operation changed the free money in the wallet. A hold already reduces it, so posting the hold does
 * not.
 */
export function walletChange({ type, amount, debit, credit }: MovedMoney): Minor {
  if (debit === 'WALLET') return type === 'void' ? minor(amount) : type === 'post' ? ZERO : minor(-amount);
  if (credit === 'WALLET') return type === 'hold' || type === 'void' ? ZERO : minor(amount);
  return ZERO;
}
