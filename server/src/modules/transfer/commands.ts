import type { Minor } from '@krapao/contract/money';
import { transferTransitions } from '@krapao/contract/states';
import type { Credits } from '../../adapters/game/port.ts';
import type { AccountRef, Operation, LedgerCommand } from '../../ledger/index.ts';
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

/** A leg to insert, and the state of its game account as it was read. */
export type NewLeg = {
  leg: Leg;
  leaseMs: number;
  /** Version of the game account when it was read; null if it was not read. */
  version: bigint | null;
  /** Cash at the provider. The ledger account is first adjusted to it, because winnings may be moved out too. */
  cash: Credits | null;
};

/**
 * Opens a transfer: inserts its row and legs, reserves the game accounts, and holds the money of the first leg. The
 * caller sends the first leg right after the commit. The outcomes are explained in `commands.transfer_open_admit`.
 * @param key idempotency key of the member
 */
export function openTransferCommand(
  transfer: Transfer,
  key: string,
  newLegs: readonly NewLeg[],
): LedgerCommand<OpenOutcome> {
  const [firstLeg] = newLegs;
  if (!firstLeg) throw new Error('a transfer without legs');
  const { leg, cash } = firstLeg;
  const holdOperation: Operation = { ...commonFields(leg, 'hold', 'member'), type: 'hold', amount: leg.amount };
  const { id, memberId, currency, source, target, amount, reference, inputHash } = transfer;
  return {
    kind: 'transfer_open',
    outcomes: OPEN_OUTCOMES,
    memberId,
    claims: [`${memberId}/${key}`, ...newLegs.map((newLeg) => `${memberId}/${newLeg.leg.gameCode}`)],
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
      legs: newLegs.map(toLegRow),
    },
    // One group: a refused hold also discards the adjustment.
    groups: [cash === null ? [holdOperation] : [adjustToCash(leg, 'before', cash, 'member'), holdOperation]],
  };
}

const toLegRow = ({ leg, leaseMs, version }: NewLeg): object => ({
  leg: leg.leg,
  game: leg.gameCode,
  creditsPerUnit: leg.creditsPerUnit,
  direction: leg.direction,
  credits: String(leg.credits),
  provider: leg.provider,
  username: leg.username,
  reference: leg.providerReference,
  before: textOrNull(leg.balanceBefore),
  turnover: textOrNull(leg.turnoverBefore),
  version: textOrNull(version),
  lease_ms: leaseMs,
});

/** The proven outcome of a leg. */
export type LegClosing = {
  endState: 'DONE' | 'REVERSED';
  /** Actor of the proof: `member` (the waiting request), `resolver`, `operator:NAME`. */
  actor: string;
  /** Cash balance after the movement, if reported. `isBalanceFinal`: it was read before the member could play. */
  balance: Credits | null;
  isBalanceFinal: boolean;
  reversal: Reversal | null;
  /** The second leg, if this commit also starts it. */
  second?: { leg: Leg; balanceBefore: BalanceReading | null; leaseMs: number };
};

/**
 * Closes a leg: records the proof, moves the money, releases the reservation, and starts or ends the second leg. The
 * outcomes are explained in `commands.transfer_close_admit`.
 */
export function closeLegCommand(leg: Leg, closing: LegClosing): LedgerCommand<CloseOutcome> {
  const { endState, actor, balance, isBalanceFinal, reversal, second } = closing;
  const secondGame = leg.leg === 1 ? leg.nextGame : null;
  assertTransition(transferTransitions, leg.state, endState);
  if (secondGame !== null) assertTransition(transferTransitions, 'QUEUED', second ? 'SENT' : 'REVERSED');
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
      to: endState,
      proof: endState === 'DONE' ? 'APPLIED' : 'REFUSED',
      by: actor,
      balance: textOrNull(balance),
      code: reversal?.code,
      detail: reversal?.detail,
      member: leg.memberId,
      game: leg.gameCode,
      games: [leg.gameCode, ...(secondGame === null ? [] : [secondGame])],
      reference: leg.reference,
      is_balance_final: isBalanceFinal,
      top_up: leg.direction === 'in' && endState === 'DONE' ? String(leg.amount) : null,
      has_second_leg: secondGame !== null,
      second: second ? toSecondLegFields(second) : null,
      purposes: operations.map(({ purpose }) => purpose),
    },
    groups: operations.map(({ operation }) => [operation]),
  };
}

const toSecondLegFields = ({ balanceBefore, leaseMs }: NonNullable<LegClosing['second']>): object => ({
  before: textOrNull(balanceBefore?.cashAndStakes ?? null),
  turnover: textOrNull(balanceBefore?.turnover ?? null),
  lease_ms: leaseMs,
});

type ClosingOperation = { purpose: 'settle' | 'follow_balance' | 'hold_second'; operation: Operation };

/** Ledger operations of a closing, each in its own group. */
function closingOperations(leg: Leg, { endState, actor, balance, second }: LegClosing): ClosingOperation[] {
  const operations: ClosingOperation[] = [
    { purpose: 'settle', operation: resolveHold(leg, endState === 'DONE' ? 'post' : 'void', actor) },
  ];
  if (endState === 'DONE' && balance !== null) {
    operations.push({ purpose: 'follow_balance', operation: adjustToCash(leg, 'after', balance, actor) });
  }
  if (second) {
    const holdOperation: Operation = {
      ...commonFields(second.leg, 'hold', actor),
      type: 'hold',
      amount: second.leg.amount,
    };
    operations.push({ purpose: 'hold_second', operation: holdOperation });
  }
  return operations;
}

const textOrNull = (value: bigint | null): string | null => (value === null ? null : String(value));

// Keys are derived from the leg, so that a repeated command gets the first reply instead of a second movement.
type OperationSuffix = 'hold' | 'post' | 'void' | 'before' | 'after';
type LegIdentity = Pick<Leg, 'transferId' | 'leg'>;
const operationKey = (leg: LegIdentity, suffix: OperationSuffix): string =>
  `transfer:${leg.transferId}:${leg.leg}:${suffix}`;

/** Key of the operation that is the leg's row in the statement: the hold of wallet money, or its credit. */
export const statementKey = (leg: LegIdentity & Pick<Leg, 'direction'>): string =>
  operationKey(leg, leg.direction === 'in' ? 'hold' : 'post');

function commonFields(leg: Leg, suffix: OperationSuffix, actor: string) {
  const { memberId, currency, reference } = leg;
  const wallet: AccountRef = { member: memberId, kind: 'WALLET' };
  const game: AccountRef = { member: memberId, kind: gameLedgerKind(leg.gameCode) };
  const [debit, credit] = leg.direction === 'in' ? [wallet, game] : [game, wallet];
  return { key: operationKey(leg, suffix), kind: 'transfer', memberId, currency, debit, credit, reference, actor };
}

const resolveHold = (leg: Leg, type: 'post' | 'void', actor: string): Operation => ({
  ...commonFields(leg, type, actor),
  type,
  pendingKey: operationKey(leg, 'hold'),
  amount: leg.amount,
});

function adjustToCash(leg: Leg, suffix: 'before' | 'after', credits: Credits, actor: string): Operation {
  const target: Minor = toAmount(credits, leg.creditsPerUnit);
  const { memberId, currency, reference } = leg;
  return {
    key: operationKey(leg, suffix),
    // The request is the adjustment at this point of the leg, for any balance: a replay with another balance is no
    // conflict.
    request: operationKey(leg, suffix),
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { houseAccount: `provider:${leg.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(leg.gameCode) },
    target,
    reference,
    actor,
  };
}
