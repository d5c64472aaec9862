import type { Minor } from '@krapao/contract/money';
import { transferTransitions } from '@krapao/contract/states';
import type { AccountRef, Operation, LedgerCommand } from '../../ledger/index.ts';
import type { Credits } from '../../adapters/game/port.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import { gameLedgerKind, toAmount } from '../game/index.ts';
import type { Leg, Reversal, Transfer, BalanceReading } from './transfer.ts';

export const OPEN_OUTCOMES = [
  'applied',
  'replayed',
  'replayed_refused',
  'key_taken',
  'wallet_suspended',
  'row_locked',
  'account_busy',
  'stale_read',
  'insufficient_funds',
] as const;
export type OpenOutcome = (typeof OPEN_OUTCOMES)[number];

export const CLOSE_OUTCOMES = [
  'applied',
  'second_leg_refused',
  'replayed',
  'replayed_second_leg_refused',
  'closed_differently',
  'lease_lost',
  'row_locked',
] as const;
export type CloseOutcome = (typeof CLOSE_OUTCOMES)[number];

/** A new leg, and the state of its game account as read before. */
export type NewLeg = {
  leg: Leg;
  leaseMs: number;
  /** Version of the game account when it was read; null when nothing was read. */
  version: bigint | null;
  /** Cash at the provider to which the ledger account is adjusted first: winnings may be moved out too. */
  cash: Credits | null;
};

/**
 * Opens a transfer: its row, its legs, the reservation of the game accounts, and the hold for the first leg, which the
 * caller sends right after the commit. `commands.transfer_open_admit` explains the outcomes.
 * @param key idempotency key of the member
 */
export function openTransferCommand(
  transfer: Transfer,
  key: string,
  opened: readonly NewLeg[],
): LedgerCommand<OpenOutcome> {
  const [first] = opened;
  if (!first) throw new Error('a transfer without legs');
  const { leg, cash } = first;
  const hold: Operation = { ...common(leg, 'hold', 'member'), type: 'hold', amount: leg.amount };
  const { id, memberId, currency, source, target, amount, reference, inputHash } = transfer;
  return {
    kind: 'transfer_open',
    outcomes: OPEN_OUTCOMES,
    memberId,
    claims: [`${memberId}/${key}`, ...opened.map((one) => `${memberId}/${one.leg.gameCode}`)],
    unique: ['transfer_pkey', 'transfer_once'],
    row: {
      id,
      member: memberId,
      currency,
      key,
      hash: inputHash.toString('hex'),
      source,
      target,
      amount: String(amount),
      reference,
      legs: opened.map(toLegRow),
    },
    // One group: a refused hold also discards the adjustment.
    groups: [cash === null ? [hold] : [adjustment(leg, 'before', cash, 'member'), hold]],
  };
}

const toLegRow = ({ leg, leaseMs, version }: NewLeg): object => ({
  leg: leg.leg,
  game: leg.gameCode,
  slot: leg.ftWalletSlot,
  direction: leg.direction,
  credits: String(leg.credits),
  provider: leg.provider,
  username: leg.username,
  reference: leg.providerReference,
  before: toText(leg.balanceBefore),
  turnover: toText(leg.turnoverBefore),
  version: toText(version),
  lease_ms: leaseMs,
});

/** The proven end of a leg. */
export type LegClosing = {
  to: 'DONE' | 'REVERSED';
  /** Source of the proof: `member` (the waiting request), `resolver`, `operator:NAME`. */
  by: string;
  /** Cash balance after the movement, if reported. `isBalanceFinal`: read before the member could play. */
  balance: Credits | null;
  isBalanceFinal: boolean;
  reversal: Reversal | null;
  /** The second leg, when the member's request starts it in the same commit. */
  second?: { leg: Leg; before: BalanceReading | null; leaseMs: number };
};

/**
 * Closes a leg: the proof, its money, the end of the reservation, and the start or the end of a second leg.
 * `commands.transfer_close_admit` explains the outcomes.
 */
export function closeLegCommand(leg: Leg, closing: LegClosing): LedgerCommand<CloseOutcome> {
  const { to, by, balance, isBalanceFinal, reversal, second } = closing;
  const otherGame = leg.leg === 1 ? leg.nextGame : null;
  assertTransition(transferTransitions, leg.state, to);
  if (otherGame !== null) assertTransition(transferTransitions, 'QUEUED', second ? 'SENT' : 'REVERSED');
  const operations = closingOperations(leg, closing);
  return {
    kind: 'transfer_close',
    outcomes: CLOSE_OUTCOMES,
    memberId: leg.memberId,
    claims: [leg.providerReference],
    unique: [],
    row: {
      id: leg.transferId,
      leg: leg.leg,
      fence: leg.fence,
      from: leg.state,
      to,
      proof: to === 'DONE' ? 'APPLIED' : 'REFUSED',
      by,
      balance: toText(balance),
      code: reversal?.code,
      detail: reversal?.detail,
      member: leg.memberId,
      game: leg.gameCode,
      games: [leg.gameCode, ...(otherGame === null ? [] : [otherGame])],
      reference: leg.reference,
      is_balance_final: isBalanceFinal,
      has_second_leg: otherGame !== null,
      second: second ? toSecondLegFields(second) : null,
      purposes: operations.map(({ purpose }) => purpose),
    },
    groups: operations.map(({ operation }) => [operation]),
  };
}

const toSecondLegFields = ({ before, leaseMs }: NonNullable<LegClosing['second']>): object => ({
  before: toText(before?.whole ?? null),
  turnover: toText(before?.turnover ?? null),
  lease_ms: leaseMs,
});

type ClosingOperation = { purpose: 'settle' | 'follow_balance' | 'hold_second'; operation: Operation };

/** The money of a closing, each operation in a group of its own. */
function closingOperations(leg: Leg, { to, by, balance, second }: LegClosing): ClosingOperation[] {
  const operations: ClosingOperation[] = [
    { purpose: 'settle', operation: resolving(leg, to === 'DONE' ? 'post' : 'void', by) },
  ];
  if (to === 'DONE' && balance !== null) {
    operations.push({ purpose: 'follow_balance', operation: adjustment(leg, 'after', balance, by) });
  }
  if (second) {
    const hold: Operation = { ...common(second.leg, 'hold', by), type: 'hold', amount: second.leg.amount };
    operations.push({ purpose: 'hold_second', operation: hold });
  }
  return operations;
}

const toText = (value: bigint | null): string | null => (value === null ? null : String(value));

// Keys are derived from the leg, so that a repeated command gets the first reply instead of a second movement.
type OperationSuffix = 'hold' | 'post' | 'void' | 'before' | 'after';
type LegIdentity = Pick<Leg, 'transferId' | 'leg'>;
const keyOf = (leg: LegIdentity, suffix: OperationSuffix): string => `transfer:${leg.transferId}:${leg.leg}:${suffix}`;

/** Key of the operation that is the leg's row in the statement: the hold of wallet money, or its credit. */
export const statementKey = (leg: LegIdentity & Pick<Leg, 'direction'>): string =>
  keyOf(leg, leg.direction === 'in' ? 'hold' : 'post');

function common(leg: Leg, suffix: OperationSuffix, actor: string) {
  const { memberId, currency, reference } = leg;
  const wallet: AccountRef = { member: memberId, kind: 'WALLET' };
  const game: AccountRef = { member: memberId, kind: gameLedgerKind(leg.gameCode) };
  const [debit, credit] = leg.direction === 'in' ? [wallet, game] : [game, wallet];
  return { key: keyOf(leg, suffix), kind: 'transfer', memberId, currency, debit, credit, reference, actor };
}

const resolving = (leg: Leg, type: 'post' | 'void', actor: string): Operation => ({
  ...common(leg, type, actor),
  type,
  pendingKey: keyOf(leg, 'hold'),
  amount: leg.amount,
});

function adjustment(leg: Leg, suffix: 'before' | 'after', cash: Credits, actor: string): Operation {
  const target: Minor = toAmount(cash, leg.ftWalletSlot);
  const { memberId, currency, reference } = leg;
  return {
    key: keyOf(leg, suffix),
    // The request is to adjust at this point of the leg, whatever the balance: a replay with another one is no
    // conflict.
    request: keyOf(leg, suffix),
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${leg.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(leg.gameCode) },
    target,
    reference,
    actor,
  };
}
