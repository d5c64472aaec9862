import { type Currency, type Minor, minor } from '@krapao/contract/money';
import type { BatchReply } from './codec.ts';

/** A member's ledger account: the wallet, or the money in one game. Never below zero. */
export type MemberAccount = { member: string; kind: 'WALLET' | `GAME:${string}` };
/** An account of the house, such as `gateway:kbank`, `provider:pg`, `bank`, `suspense`. It has no floor. */
export type HouseAccount = { house: string };
export type AccountRef = MemberAccount | HouseAccount;

type Common = {
  /** Natural key of this movement, unique for ever over all kinds: `deposit:kbank:REF`. Only its hash is stored. */
  key: string;
  /**
   * The request behind the operation; the same key with another request is a conflict. When left out, the operation's
   * own fields are the request. Set it when the fields are calculated from live balances, so that a retry is still an
   * idempotent replay.
   */
  request?: unknown;
  /** Kind of movement: deposit, withdraw, transfer, play, bonus … */
  kind: string;
  /** Whose money it is. Both accounts are this member's or the house's. Left out only between two house accounts. */
  memberId?: string;
  debit: AccountRef;
  credit: AccountRef;
  currency?: Currency;
  /** Human-readable reference: number of the ticket, the transfer, the payout. */
  reference: string;
  /** Actor: `member`, `callback`, `resolver`, `operator:NAME`. */
  actor: string;
};

/** Moves `amount` (more than 0) from debit to credit, or holds it on the debit account, which must be a member's. */
type Moving = Common & { type: 'transfer' | 'hold'; amount: Minor };
/** Resolves the hold with the key `pendingKey`; names the same accounts; `amount`, when given, must be what is held. */
type Resolving = Common & { type: 'post' | 'void'; pendingKey: string; amount?: Minor };
/**
 * Adjusts the member account to `target` (0 or more) against the house account; the amount is calculated under the
 * lock.
 */
type Adjusting = Common & { type: 'adjust'; target: Minor };
/** Moves nothing: records on the debit account, which must be a member's, that something has ended. */
type Marking = Common & { type: 'mark'; amount?: never };
export type Operation = Moving | Resolving | Adjusting | Marking;
export type OperationType = Operation['type'];

export type OperationState = 'applied' | 'rejected' | 'pending' | 'posted' | 'voided';
/**
 * insufficient: would fall below zero · not_found: no such hold · not_pending: the hold is resolved, or was refused ·
 * mismatch: other accounts or amount than the hold · linked: another operation of the group was refused · key_reused:
 * the key belongs to another request or group
 */
export type RejectionReason = 'insufficient' | 'not_found' | 'not_pending' | 'mismatch' | 'linked' | 'key_reused';

/** Balance of an account: everything booked, and how much of it is held. Free is posted − held. */
export type Balance = { posted: Minor; held: Minor };

export type Verdict = {
  /** 0 for a conflict of a key that was never written. */
  operationId: bigint;
  outcome: 'applied' | 'rejected' | 'conflict';
  /** An idempotent replay: the answer of an earlier call with this key. */
  replayed: boolean;
  /** Current state of the operation; a replayed hold may have been resolved since. */
  state: OperationState | undefined;
  reason?: RejectionReason;
  /** The amount moved or held. Signed for `adjust`: more than 0 when the member's account rose. */
  amount: Minor;
  /** Balances of the member accounts after it (in a replay: now). House accounts are striped and have none here. */
  balances: { debit?: Balance; credit?: Balance };
};

/** Largest amount of one operation: 10^13 whole units, far above any real amount and far below the bigint range. */
export const AMOUNT_MAX = minor(10n ** 15n);
const TEXT_LENGTH_MAX = 200;
// Control characters separate fields where operations are hashed.
// oxlint-disable-next-line no-control-regex
const PLAIN_TEXT = /^[^\u0000-\u001f]+$/;

/** An invalid operation: a defect of the caller, not an answer for a member. */
export class InvalidOperation extends Error {
  override readonly name = 'InvalidOperation';
}

export const isMember = (account: AccountRef): account is MemberAccount => 'member' in account;

/** Throws {@link InvalidOperation} for an operation that is not well formed. */
export function assertOperation(operation: Operation): void {
  const { debit, credit, memberId } = operation;
  for (const [name, text] of Object.entries(textsOf(operation))) {
    if (text.length > TEXT_LENGTH_MAX || !PLAIN_TEXT.test(text)) throw new InvalidOperation(`${name} "${text}"`);
  }
  for (const account of [debit, credit]) {
    if (isMember(account) && account.member !== memberId) throw new InvalidOperation('account of another member');
  }
  if (accountName(debit) === accountName(credit)) throw new InvalidOperation('debit and credit are the same account');
  if (operation.type === 'adjust') {
    if (isMember(debit) === isMember(credit))
      throw new InvalidOperation('adjust needs one member and one house account');
    assertAmount(operation.target, 0n);
    return;
  }
  if (operation.type !== 'transfer' && !isMember(debit))
    throw new InvalidOperation('only a member account can hold or be marked');
  if (operation.amount !== undefined) assertAmount(operation.amount, 1n);
}

/** `MEMBER/WALLET` or `/provider:pg`: a unique text for each account. */
export const accountName = (account: AccountRef): string =>
  isMember(account) ? `${account.member}/${account.kind}` : `/${account.house}`;

function textsOf({ key, kind, reference, actor, debit, credit }: Operation): Record<string, string> {
  return { key, kind, reference, actor, debit: accountName(debit), credit: accountName(credit) };
}

function assertAmount(amount: Minor, least: bigint): void {
  if (typeof amount !== 'bigint' || amount < least || amount > AMOUNT_MAX) {
    throw new InvalidOperation(`amount ${String(amount)}`);
  }
}

/**
 * Rows of a module and operations of the ledger in one commit. The database function `commands.<kind>_admit` writes the rows
 * as if every operation were applied, or refuses the command. `commands.<kind>_refused` writes the consequence of a refused
 * operation, or fails the call.
 */
export type LedgerCommand<O extends string = string> = {
  kind: string;
  /** Outcomes that the functions of this kind return. `applied`: written, with all its operations posted. */
  outcomes: readonly O[];
  /** Undefined where all its money moves between house accounts. */
  memberId: string | undefined;
  /** The row, as JSON. */
  row: object;
  /** Two commands with a common claim are never in one call: the second waits for the reply to the first. */
  claims: readonly string[];
  /** Constraints that the rows violate only when another lane wrote the same ones concurrently: the call is retried. */
  unique: readonly string[];
  /** Operations; each group is applied whole or not at all. */
  groups: readonly (readonly Operation[])[];
};

/** A command with its row encoded, resent unchanged. */
export type EncodedCommand = Pick<LedgerCommand, 'kind' | 'claims' | 'unique'> & { row: string };

export type CommandReply<O extends string = string> = {
  outcome: O;
  /** In the order of the operations; undefined for operations that were not posted. */
  verdicts: (Verdict | undefined)[];
  /** Monotonic time at which the call was first sent: what it committed is not older. */
  startedMs: number;
};

export const encodeCommand = ({ kind, claims, unique, row }: LedgerCommand): EncodedCommand => ({
  kind,
  claims: claims.map((claim) => `${kind} ${claim}`),
  unique,
  row: JSON.stringify(row),
});

/** Indexes, from 0, of the operations that a call has posted. */
export function postedIndexes({ posted }: BatchReply, count: number): number[] {
  if (posted === null || posted === undefined) return Array.from({ length: count }, (_, index) => index);
  return posted === '' ? [] : posted.split(',').map((position) => Number(position) - 1);
}

/** Outcomes of a call's commands, in their order. */
export const outcomesOf = ({ command_outcomes: outcomes = '' }: BatchReply): string[] => outcomes.split(',');

/** @throws the database function returned an outcome that the command does not declare */
export function assertOutcome<O extends string>(
  { kind, outcomes }: LedgerCommand<O>,
  reply: CommandReply,
): asserts reply is CommandReply<O> {
  if ((outcomes as readonly string[]).includes(reply.outcome)) return;
  throw new Error(`the ledger command ${kind} returned the unknown outcome "${reply.outcome}"`);
}
