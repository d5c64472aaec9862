import { withdrawTransitions } from '@krapao/contract/states';
import type { Operation, LedgerCommand } from '../../ledger/index.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { SweepFailure } from '../transfer/index.ts';
import type { PayoutProof, Withdrawal, WithdrawRefusal } from './withdraw.ts';

/** Detail of a refused withdrawal whose missing money may be in games that could not be swept. */
export const GAMES_NOT_SWEPT = 'GAMES_NOT_BROUGHT';

export const OPEN_OUTCOMES = [
  'applied',
  'replayed',
  'replayed_refused',
  'key_taken',
  'wallet_suspended',
  'withdrawal_open',
  'stale_conditions',
  'row_locked',
  'insufficient_funds',
] as const;
export type OpenOutcome = (typeof OPEN_OUTCOMES)[number];

export const HOLD_OUTCOMES = ['applied', 'lease_lost', 'row_locked', 'insufficient_funds'] as const;
export type HoldOutcome = (typeof HOLD_OUTCOMES)[number];

export const CLOSE_OUTCOMES = [
  'applied',
  'replayed',
  'closed_differently',
  'lease_lost',
  'row_locked',
  'books_refused',
] as const;
export type CloseOutcome = (typeof CLOSE_OUTCOMES)[number];

/**
 * Opens a withdrawal: its row and the hold of its money. `withdrawAll` inserts only the row, because the games are
 * swept first. The outcomes are explained in `commands.withdraw_open_admit`.
 * @param gateVersion version of the member lock at which the member's conditions were read
 */
export function openWithdrawalCommand(
  withdrawal: Withdrawal,
  { key, gate: gateVersion, leaseMs }: { key: string; gate: bigint; leaseMs: number },
): LedgerCommand<OpenOutcome> {
  const { id, memberId, currency, inputHash, isAll, amount, reference } = withdrawal;
  const { bankCode, accountNo, accountName, paidFrom } = withdrawal;
  return {
    kind: 'withdraw_open',
    outcomes: OPEN_OUTCOMES,
    memberId,
    claims: [memberId],
    unique: ['withdraw_once', 'withdraw_one_pending'],
    row: {
      id,
      member: memberId,
      currency,
      key,
      hash: inputHash.toString('hex'),
      is_all: isAll,
      amount: String(amount),
      reference,
      bank_code: bankCode,
      account_no: accountNo,
      account_name: accountName,
      paid_from: paidFrom,
      gate: String(gateVersion),
      lease_ms: leaseMs,
      ...refusalFor([]),
    },
    groups: isAll ? [] : [[holdOperation(withdrawal)]],
  };
}

/** Holds the money after the sweep. The outcomes are explained in `commands.withdraw_hold_admit`. */
export function holdWithdrawalCommand(
  withdrawal: Withdrawal,
  sweepFailures: SweepFailure[],
): LedgerCommand<HoldOutcome> {
  const { id, memberId, reference, fence } = withdrawal;
  return {
    kind: 'withdraw_hold',
    outcomes: HOLD_OUTCOMES,
    memberId,
    claims: [reference],
    unique: [],
    row: { id, fence, not_brought: sweepFailures, ...refusalFor(sweepFailures) },
    groups: [[holdOperation(withdrawal)]],
  };
}

/** The outcome of a payout, proven by the bank or by an operator. */
export type PayoutClosing = {
  proof: PayoutProof;
  actor: string;
  reason: string | null;
  note: string | null;
  transRef: string | null;
};

/**
 * Closes a withdrawal: records the proof and moves the money. The outcomes are explained in
 * `commands.withdraw_close_admit`.
 */
export function closeWithdrawalCommand(
  withdrawal: Withdrawal,
  { proof, actor, reason, note, transRef }: PayoutClosing,
): LedgerCommand<CloseOutcome> {
  const { id, memberId, reference, fence, state, amount } = withdrawal;
  assertTransition(withdrawTransitions, state, proof);
  const resolveType = proof === 'PAID' ? 'post' : 'void';
  return {
    kind: 'withdraw_close',
    outcomes: CLOSE_OUTCOMES,
    memberId,
    claims: [reference],
    unique: [],
    row: { id, fence, from: state, to: proof, by: actor, reason, note, trans_ref: transRef },
    groups: [
      [
        {
          ...commonFields(withdrawal, resolveType, actor),
          type: resolveType,
          pendingKey: operationKey(withdrawal, 'hold'),
          amount,
        },
      ],
    ],
  };
}

/** Refusal when the wallet lacks the money. */
export function refusalFor(sweepFailures: readonly SweepFailure[]): WithdrawRefusal {
  return sweepFailures.length > 0 ? { code: 'TRANSFER_FAIL', detail: GAMES_NOT_SWEPT } : { code: 'MONEY_NOT_ENOUGH' };
}

const holdOperation = (withdrawal: Withdrawal): Operation => ({
  ...commonFields(withdrawal, 'hold', 'member'),
  type: 'hold',
  amount: withdrawal.amount,
});

// Keys are derived from the reference, so that a repeated command gets the first reply instead of a second movement.
type OperationSuffix = 'hold' | 'post' | 'void';

const operationKey = ({ reference }: Pick<Withdrawal, 'reference'>, suffix: OperationSuffix): string =>
  suffix === 'hold' ? `withdraw:${reference}` : `withdraw:${reference}:${suffix}`;

/** Key of the operation that holds the money. */
export const holdKey = (withdrawal: Pick<Withdrawal, 'reference'>): string => operationKey(withdrawal, 'hold');

function commonFields(
  withdrawal: Withdrawal,
  suffix: OperationSuffix,
  actor: string,
): Omit<Operation, 'type' | 'amount'> {
  const { memberId, currency, reference, paidFrom } = withdrawal;
  return {
    key: operationKey(withdrawal, suffix),
    kind: 'withdraw',
    memberId,
    currency,
    debit: { member: memberId, kind: 'WALLET' },
    credit: { houseAccount: `payout:${paidFrom}` },
    reference,
    actor,
  };
}
