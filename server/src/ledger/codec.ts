import { type Currency, minor } from '@krapao/contract/money';
import type { LaneEntry } from './writer.ts';
import {
  type AccountRef,
  type Balance,
  isMember,
  accountName,
  type Operation,
  type OperationState,
  type RejectionReason,
  type Verdict,
} from './types.ts';
import { hash } from 'node:crypto';

/** An operation with its hashes, computed once and resent unchanged. */
export type EncodedOperation = {
  readonly operation: Operation;
  readonly key: string;
  readonly request: string;
  readonly pendingKey: string | undefined;
  readonly currency: Currency;
};

/** The row that `post_batch` returns: lists in the order of the operations. */
export type BatchReply = {
  /** Null when nothing was written. */
  batch_id: string | null;
  /** The batch before it on this lane, 0 for none. */
  previous_batch: string;
  at: string;
  ids: string;
  outcomes: string;
  states: string;
  reasons: string;
  amounts: string;
  debit_posted: string;
  debit_held: string;
  credit_posted: string;
  credit_held: string;
  /** Of a call with commands: positions, from 1, of the operations that were posted; null when all were. */
  posted?: string | null;
  /** Of a call with commands: one outcome each. */
  command_outcomes?: string;
};

/** A prepared statement and its values. */
export type LaneStatement = { name: string; text: string; values: unknown[] };

const placeholders = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
const POST_BATCH = { name: 'ledger-post-batch', text: `select * from ledger.post_batch(${placeholders(16)})` };
const POST_COMMANDS = { name: 'ledger-post-commands', text: `select * from ledger.post_commands(${placeholders(19)})` };

/** The call that posts groups of operations. */
export const batchCall = (lane: number, parcels: readonly Pick<LaneEntry, 'groups'>[]): LaneStatement => ({
  ...POST_BATCH,
  values: [lane, ...encodeBatch(parcels.flatMap(({ groups }) => groups))],
});

/** The same with the rows of commands. Each operation names the position of its command, 0 for none. */
export function commandCall(lane: number, entries: readonly LaneEntry[]): LaneStatement {
  const commands = entries.flatMap(({ command }) => command ?? []);
  let position = 0;
  const positions = entries.flatMap(({ groups, command }) => {
    if (command) position += 1;
    return groups.flat().map(() => (command ? position : 0));
  });
  const rows = `[${commands.map(({ row }) => row).join(',')}]`;
  const batch = encodeBatch(entries.flatMap(({ groups }) => groups));
  return { ...POST_COMMANDS, values: [lane, commands.map(({ kind }) => kind), rows, literal(positions), ...batch] };
}

export function encodeOperation(operation: Operation, currency: Currency): EncodedOperation {
  return {
    operation,
    key: keyHash(operation.key),
    request: requestHash(operation),
    pendingKey: 'pendingKey' in operation ? keyHash(operation.pendingKey) : undefined,
    currency: operation.currency ?? currency,
  };
}

/** Values of one call of `post_batch` for groups of linked operations (most groups have one). */
function encodeBatch(groups: readonly (readonly EncodedOperation[])[]): string[] {
  const accounts = new AccountPlaces();
  const slots = slotsOf(groups);
  const columns: (string | number | bigint)[][] = Array.from({ length: 11 }, () => []);
  let last = 0;
  for (const group of groups) {
    last += group.length;
    for (const item of group) {
      const { operation, currency } = item;
      const [debit, credit] = sidesOf(operation);
      const row = [
        item.key,
        item.request,
        operation.type,
        accounts.place(debit, currency),
        accounts.place(credit, currency),
        (operation.type === 'adjust' ? operation.target : operation.amount) ?? 0n,
        slots.get(item.pendingKey ?? (operation.type === 'hold' ? item.key : '')) ?? 0,
        last,
        quote(operation.kind),
        quote(operation.reference),
        quote(operation.actor),
      ];
      for (const [index, value] of row.entries()) columns[index]?.push(value);
    }
  }
  return [...accounts.columns(), ...columns, [...slots.keys()]].map(literal);
}

/** Verdicts of a reply, in the order of the operations. */
export function decodeBatch(reply: BatchReply, operations: readonly EncodedOperation[]): Verdict[] {
  if (operations.length === 0) return [];
  const ids = reply.ids.split(',');
  const states = reply.states.split(',');
  const reasons = reply.reasons.split(',');
  const amounts = reply.amounts.split(',');
  const debits = balances(reply.debit_posted, reply.debit_held);
  const credits = balances(reply.credit_posted, reply.credit_held);
  if (ids.length !== operations.length) throw new Error('the ledger answered with a different number of operations');
  return operations.map(({ operation }, index) => {
    const code = reply.outcomes[index] ?? '';
    const [debit, credit] = sidesOf(operation);
    const reason = reasons[index] as RejectionReason | '';
    return {
      operationId: BigInt(ids[index] || 0),
      outcome: OUTCOMES[code.toLowerCase() as keyof typeof OUTCOMES],
      replayed: code !== code.toLowerCase(),
      state: (states[index] || undefined) as OperationState | undefined,
      ...(reason ? { reason } : {}),
      amount: minor(BigInt(amounts[index] || 0)),
      balances: {
        ...(isMember(debit) ? { debit: debits(index) } : {}),
        ...(isMember(credit) ? { credit: credits(index) } : {}),
      },
    };
  });
}

const OUTCOMES = { a: 'applied', r: 'rejected', c: 'conflict' } as const;

function balances(posted: string, held: string): (index: number) => Balance {
  const [postedList, heldList] = [posted.split(','), held.split(',')];
  return (index) => ({ posted: minor(BigInt(postedList[index] ?? 0)), held: minor(BigInt(heldList[index] ?? 0)) });
}

/** Debit and credit as the SQL wants them: the member account of an `adjust` is always the credit side. */
function sidesOf(operation: Operation): [debit: AccountRef, credit: AccountRef] {
  const { type, debit, credit } = operation;
  return type === 'adjust' && isMember(debit) ? [credit, debit] : [debit, credit];
}

/** Distinct accounts of a batch, each with its place counted from 1. */
class AccountPlaces {
  readonly #places = new Map<string, number>();
  readonly #members: string[] = [];
  readonly #kinds: string[] = [];
  readonly #currencies: string[] = [];

  place(account: AccountRef, currency: Currency): number {
    const name = `${accountName(account)}/${currency}`;
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    const member = isMember(account);
    this.#members.push(quote(member ? account.member : ''));
    this.#kinds.push(quote(member ? account.kind : account.house));
    this.#currencies.push(currency);
    this.#places.set(name, this.#places.size + 1);
    return this.#places.size;
  }

  columns(): string[][] {
    return [this.#members, this.#kinds, this.#currencies];
  }
}

/** Distinct holds that this batch resolves, each with its place counted from 1. */
function slotsOf(groups: readonly (readonly EncodedOperation[])[]): Map<string, number> {
  const slots = new Map<string, number>();
  for (const { pendingKey } of groups.flat()) {
    if (pendingKey && !slots.has(pendingKey)) slots.set(pendingKey, slots.size + 1);
  }
  return slots;
}

const literal = (values: readonly (string | number | bigint)[]): string => `{${values.join(',')}}`;
const quote = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The key as it is stored: the first 128 bits of its SHA-256, as 32 hex digits (what a uuid column reads). */
export function keyHash(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 32);
}

/**
 * Hash of the request, 128 bits in hex. Two operations with the same key and hash are the same request. With `request`
 * only that counts (and type, kind, member), because the amounts may have been recalculated in a retry.
 */
export function requestHash(operation: Operation): string {
  const { type, kind, memberId, request } = operation;
  const asked = request === undefined ? fieldsOf(operation) : canonical(request);
  return hash('sha256', `${type}\n${kind}\n${memberId ?? ''}\n${asked}`, 'hex').slice(0, 32);
}

function fieldsOf(operation: Operation): string {
  const { debit, credit, currency = '', reference } = operation;
  const pendingKey = 'pendingKey' in operation ? operation.pendingKey : '';
  const amount = operation.type === 'adjust' ? operation.target : operation.amount;
  return [accountName(debit), accountName(credit), currency, amount ?? '', pendingKey, reference].join('\n');
}

/** JSON with sorted keys, so that the property order doesn't matter; bigint as its digits. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part === 'bigint') return `${part}n`;
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    const names = Object.keys(part).toSorted();
    return Object.fromEntries(names.map((name) => [name, (part as Record<string, unknown>)[name]]));
  });
}
