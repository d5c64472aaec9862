import { type Currency, type Minor, minor } from '@krapao/contract/money';
import type { BatchReply } from './codec.ts';

/** A member's ledger account: the wallet, or the money in one game. Its balance is never negative. */
export type MemberAccount = { member: string; kind: 'WALLET' | `GAME:${string}` };
/** A house account, such as `gateway:kbank`, `provider:pg`, `bank`, `suspense`. Its balance may be negative. */
export type HouseAccount = { houseAccount: string };
export type AccountRef = MemberAccount | HouseAccount;

type OperationFields = {
  /** Natural key of the operation, unique over all kinds, such as `deposit:kbank:REF`. Only its hash is stored. */
  key: string;
  /**
   * The request behind the operation. The same key with a different request is a conflict. Without it, the operation's
   * own fields are the request. Set it if fields are calculated from live balances, so that a retry is an idempotent
   * replay.
   */
  request?: unknown;
  /** Kind of operation: deposit, withdraw, transfer, play, bonus … */
  kind: string;
  /**
   * Member who owns the money. Every member account of the operation is theirs. Omitted only between two house
   * accounts.
   */
  memberId?: string;
  debit: AccountRef;
  credit: AccountRef;
  currency?: Currency;
  /** Human-readable reference: number of the ticket, transfer or payout. */
  reference: string;
  /** Actor: `member`, `callback`, `resolver`, `operator:NAME`. */
  actor: string;
};

/**
 * Moves `amount` (positive) from debit to credit, or holds it on the debit account. A hold needs a member account as
 * debit.
 */
type TransferOrHold = OperationFields & { type: 'transfer' | 'hold'; amount: Minor };
/**
 * Posts or voids the hold with the key `pendingKey`. Names the same accounts as the hold. `amount` must equal the held
 * amount.
 */
type PostOrVoid = OperationFields & { type: 'post' | 'void'; pendingKey: string; amount?: Minor };
/**
 * Adjusts the member account to the balance `target` (0 or more). The house account is the other side. The amount is
 * calculated under the row lock.
 */
type Adjustment = OperationFields & { type: 'adjust'; target: Minor };
/** Moves no money: records an end on the debit account, which must be a member account. */
type Mark = OperationFields & { type: 'mark'; amount?: never };
export type Operation = TransferOrHold | PostOrVoid | Adjustment | Mark;
export type OperationType = Operation['type'];

export type OperationState = 'applied' | 'rejected' | 'pending' | 'posted' | 'voided';
/**
 * insufficient: the balance would be negative · not_found: no such hold · not_pending: the hold is already resolved or
 * was refused · mismatch: accounts or amount differ from the hold · linked: another operation of the group was refused
 * · key_reused: the key belongs to another request or group
 */
export type RejectionReason = 'insufficient' | 'not_found' | 'not_pending' | 'mismatch' | 'linked' | 'key_reused';

/** Balance of an account: posted amount and held share. The available balance is posted − held. */
export type Balance = { posted: Minor; held: Minor };

export type Verdict = {
  /** 0 if the key conflicts and was never written. */
  operationId: bigint;
  outcome: 'applied' | 'rejected' | 'conflict';
  /** True for an idempotent replay: the verdict is that of an earlier call with this key. */
  replayed: boolean;
  /** Current state of the operation. In a replay, a hold may already be resolved. */
  state: OperationState | undefined;
  reason?: RejectionReason;
  /** Moved or held amount. Signed for `adjust`: positive if the member's balance rose. */
  amount: Minor;
  /**
   * Balances of the member accounts after the operation; in a replay the current ones. House accounts are striped and
   * have none here.
   */
  balances: { debit?: Balance; credit?: Balance };
};

/** Largest amount of one operation: 10^13 whole units, far above real amounts and far below the bigint limit. */
export const AMOUNT_MAX = minor(10n ** 15n);
const TEXT_LENGTH_MAX = 200;
// Control characters separate the hashed fields.
// oxlint-disable-next-line no-control-regex
const PLAIN_TEXT = /^[^\u0000-\u001f]+$/;

/** The operation is invalid: a programming error of the caller, never shown to a member. */
export class InvalidOperation extends Error {
  override readonly name = 'InvalidOperation';
}

export const isMember = (account: AccountRef): account is MemberAccount => 'member' in account;

/** @throws {InvalidOperation} if the operation is malformed */
export function assertOperation(operation: Operation): void {
  const { debit, credit, memberId } = operation;
  for (const [name, text] of Object.entries(textFieldsOf(operation))) {
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

/** Unique text for an account: `MEMBER/WALLET` or `/provider:pg`. */
export const accountName = (account: AccountRef): string =>
  isMember(account) ? `${account.member}/${account.kind}` : `/${account.houseAccount}`;

function textFieldsOf({ key, kind, reference, actor, debit, credit }: Operation): Record<string, string> {
  return { key, kind, reference, actor, debit: accountName(debit), credit: accountName(credit) };
}

function assertAmount(amount: Minor, minimum: bigint): void {
  if (typeof amount !== 'bigint' || amount < minimum || amount > AMOUNT_MAX) {
    throw new InvalidOperation(`amount ${String(amount)}`);
  }
}

/**
 * Writes rows of a module and posts ledger operations in one commit. The SQL function `commands.<kind>_admit` writes
 * the rows as if every operation were applied, or refuses the command. `commands.<kind>_refused` handles a refused
 * operation, or fails the call.
 */
export type LedgerCommand<O extends string = string> = {
  kind: string;
  /** Outcomes that the SQL functions of this kind return. `applied`: rows written and all operations posted. */
  outcomes: readonly O[];
  /** Undefined if money moves only between house accounts. */
  memberId: string | undefined;
  /** Input row of the SQL function, sent as JSON. */
  row: object;
  /** Two commands with a common claim are never in the same call: the second waits for the first one's reply. */
  claims: readonly string[];
  /**
   * Constraints that a command violates only if another lane wrote the same rows concurrently. The call is then
   * retried.
   */
  unique: readonly string[];
  /** Groups of operations. A group is applied completely or not at all. */
  groups: readonly (readonly Operation[])[];
};

/** A command with its encoded row. Retries resend it unchanged. */
export type EncodedCommand = Pick<LedgerCommand, 'kind' | 'claims' | 'unique'> & { row: string };

export type CommandReply<O extends string = string> = {
  outcome: O;
  /** In the order of the operations; undefined for an operation that was not posted. */
  verdicts: (Verdict | undefined)[];
  /** Monotonic time of the first call: everything committed by the command is newer. */
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

/** Outcomes of a call's commands, in the order of the commands. */
export const outcomesOf = ({ command_outcomes: outcomes = '' }: BatchReply): string[] => outcomes.split(',');

/** @throws if the SQL function returned an outcome that the command does not declare */
export function assertOutcome<O extends string>(
  { kind, outcomes }: LedgerCommand<O>,
  reply: CommandReply,
): asserts reply is CommandReply<O> {
  if ((outcomes as readonly string[]).includes(reply.outcome)) return;
  throw new Error(`the ledger command ${kind} returned the unknown outcome "${reply.outcome}"`);
}
