import { type Minor, minor, ZERO } from '@krapao/contract/money';
import type { OperationType } from './operation.ts';

/** What a movement is to a person who waits for it. */
export type Progress = 'PROCESSING' | 'SUCCESS' | 'FAILED';

/** Something that happened to a member's money: what a socket tells. */
export type LedgerEvent = {
  /** Grows with every event of a member. */
  operationId: bigint;
  memberId: string;
  type: OperationType;
  kind: string;
  state: Progress;
  reference: string;
  /** Signed change of what is free in the wallet; 0 when it happened elsewhere, or when a hold becomes a payment. */
  amount: Minor;
  at: Date;
};

/** An applied operation with the names of its two accounts: the kind of a member account, '' for one of the house. */
export type Moved = {
  type: OperationType;
  /** More than 0; 0 only for a `mark`, and for an `adjust` that found nothing to do. */
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

/** By how much an operation changed what is free in the wallet. A hold takes it away, so its payment takes nothing more. */
export function walletChange({ type, amount, debit, credit }: Moved): Minor {
  if (debit === 'WALLET') return type === 'void' ? minor(amount) : type === 'post' ? ZERO : minor(-amount);
  if (credit === 'WALLET') return type === 'hold' || type === 'void' ? ZERO : minor(amount);
  return ZERO;
}
