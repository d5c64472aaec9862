import { hash } from 'node:crypto';
import { type Currency, minor } from '@krapao/contract/money';
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
import type { LaneEntry } from './writer.ts';

/** An operation with its hashes. They are computed once, and retries resend them unchanged. */
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
  /** Previous batch of the same lane; 0 for the first. */
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
  /** Only for calls with commands: positions, from 1, of the posted operations; null if all were posted. */
  posted?: string | null;
  /** Only for calls with commands: one outcome per command. */
  command_outcomes?: string;
};

/** A prepared statement and its values. */
export type LaneStatement = { name: string; text: string; values: unknown[] };

const placeholders = (count: number): string => Array.from({ length: count }, (_, index) => `$${index + 1}`).join(', ');
const POST_BATCH = { name: 'ledger-post-batch', text: `select * from ledger.post_batch(${placeholders(16)})` };
const POST_COMMANDS = { name: 'ledger-post-commands', text: `select * from ledger.post_commands(${placeholders(19)})` };

/** Database call that posts groups of operations without commands. */
export const postBatchStatement = (lane: number, entries: readonly Pick<LaneEntry, 'groups'>[]): LaneStatement => ({
  ...POST_BATCH,
  values: [lane, ...encodeBatch(entries.flatMap(({ groups }) => groups))],
});

/**
 * Database call that posts commands with their operations. Each operation has the position of its command; 0 without
 * one.
 */
export function postCommandsStatement(lane: number, entries: readonly LaneEntry[]): LaneStatement {
  const commands = entries.flatMap(({ command }) => command ?? []);
  let position = 0;
  const commandPositions = entries.flatMap(({ groups, command }) => {
    if (command) position += 1;
    return groups.flat().map(() => (command ? position : 0));
  });
  const commandRows = `[${commands.map(({ row }) => row).join(',')}]`;
  const batchColumns = encodeBatch(entries.flatMap(({ groups }) => groups));
  return {
    ...POST_COMMANDS,
    values: [lane, commands.map(({ kind }) => kind), commandRows, arrayLiteral(commandPositions), ...batchColumns],
  };
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

/** Parameter values of one `post_batch` call. A group contains linked operations; most groups contain one. */
function encodeBatch(groups: readonly (readonly EncodedOperation[])[]): string[] {
  const accountPositions = new AccountPositions();
  const holdPositions = positionsOfHolds(groups);
  const columns: (string | number | bigint)[][] = Array.from({ length: 11 }, () => []);
  let lastOfGroup = 0;
  for (const group of groups) {
    lastOfGroup += group.length;
    for (const encoded of group) {
      const { operation, currency } = encoded;
      const [debit, credit] = sidesOf(operation);
      const values = [
        encoded.key,
        encoded.request,
        operation.type,
        accountPositions.positionOf(debit, currency),
        accountPositions.positionOf(credit, currency),
        (operation.type === 'adjust' ? operation.target : operation.amount) ?? 0n,
        holdPositions.get(encoded.pendingKey ?? (operation.type === 'hold' ? encoded.key : '')) ?? 0,
        lastOfGroup,
        quoteArrayElement(operation.kind),
        quoteArrayElement(operation.reference),
        quoteArrayElement(operation.actor),
      ];
      for (const [index, value] of values.entries()) columns[index]?.push(value);
    }
  }
  return [...accountPositions.columns(), ...columns, [...holdPositions.keys()]].map(arrayLiteral);
}

/** Verdicts of a reply, in the order of the operations. */
export function decodeBatch(reply: BatchReply, operations: readonly EncodedOperation[]): Verdict[] {
  if (operations.length === 0) return [];
  const ids = reply.ids.split(',');
  const states = reply.states.split(',');
  const reasons = reply.reasons.split(',');
  const amounts = reply.amounts.split(',');
  const debitBalanceAt = balanceReader(reply.debit_posted, reply.debit_held);
  const creditBalanceAt = balanceReader(reply.credit_posted, reply.credit_held);
  if (ids.length !== operations.length) throw new Error('the ledger replied with a different number of operations');
  return operations.map(({ operation }, index) => {
    const outcomeCode = reply.outcomes[index] ?? '';
    const [debit, credit] = sidesOf(operation);
    const reason = reasons[index] as RejectionReason | '';
    return {
      operationId: BigInt(ids[index] || 0),
      outcome: OUTCOME_BY_CODE[outcomeCode.toLowerCase() as keyof typeof OUTCOME_BY_CODE],
      replayed: outcomeCode !== outcomeCode.toLowerCase(),
      state: (states[index] || undefined) as OperationState | undefined,
      ...(reason ? { reason } : {}),
      amount: minor(BigInt(amounts[index] || 0)),
      balances: {
        ...(isMember(debit) ? { debit: debitBalanceAt(index) } : {}),
        ...(isMember(credit) ? { credit: creditBalanceAt(index) } : {}),
      },
    };
  });
}

const OUTCOME_BY_CODE = { a: 'applied', r: 'rejected', c: 'conflict' } as const;

function balanceReader(posted: string, held: string): (index: number) => Balance {
  const [postedList, heldList] = [posted.split(','), held.split(',')];
  return (index) => ({ posted: minor(BigInt(postedList[index] ?? 0)), held: minor(BigInt(heldList[index] ?? 0)) });
}

/**
 * Debit and credit account in the order of the SQL function: the member account of an `adjust` is always the credit
 * account.
 */
function sidesOf(operation: Operation): [debit: AccountRef, credit: AccountRef] {
  const { type, debit, credit } = operation;
  return type === 'adjust' && isMember(debit) ? [credit, debit] : [debit, credit];
}

/** Distinct accounts of a batch with their positions, from 1. */
class AccountPositions {
  readonly #positions = new Map<string, number>();
  readonly #members: string[] = [];
  readonly #kinds: string[] = [];
  readonly #currencies: string[] = [];

  positionOf(account: AccountRef, currency: Currency): number {
    const name = `${accountName(account)}/${currency}`;
    const knownPosition = this.#positions.get(name);
    if (knownPosition !== undefined) return knownPosition;
    const member = isMember(account);
    this.#members.push(quoteArrayElement(member ? account.member : ''));
    this.#kinds.push(quoteArrayElement(member ? account.kind : account.houseAccount));
    this.#currencies.push(currency);
    this.#positions.set(name, this.#positions.size + 1);
    return this.#positions.size;
  }

  columns(): string[][] {
    return [this.#members, this.#kinds, this.#currencies];
  }
}

/** Distinct holds that the batch resolves, with their positions, from 1. */
function positionsOfHolds(groups: readonly (readonly EncodedOperation[])[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const { pendingKey } of groups.flat()) {
    if (pendingKey && !positions.has(pendingKey)) positions.set(pendingKey, positions.size + 1);
  }
  return positions;
}

const arrayLiteral = (values: readonly (string | number | bigint)[]): string => `{${values.join(',')}}`;
const quoteArrayElement = (text: string): string => `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** Stored form of an operation key: the first 128 bits of its SHA-256, as 32 hex digits for a uuid column. */
export function keyHash(key: string): string {
  return hash('sha256', key, 'hex').slice(0, 32);
}

/**
 * Hash of an operation's request, 128 bits in hex. Operations with the same key and hash are the same request. If
 * `request` is set, only type, kind, member and `request` are hashed, because a retry may recalculate the amounts.
 */
export function requestHash(operation: Operation): string {
  const { type, kind, memberId, request } = operation;
  const requestText = request === undefined ? fieldsAsText(operation) : canonicalJson(request);
  return hash('sha256', `${type}\n${kind}\n${memberId ?? ''}\n${requestText}`, 'hex').slice(0, 32);
}

function fieldsAsText(operation: Operation): string {
  const { debit, credit, currency = '', reference } = operation;
  const pendingKey = 'pendingKey' in operation ? operation.pendingKey : '';
  const amount = operation.type === 'adjust' ? operation.target : operation.amount;
  return [accountName(debit), accountName(credit), currency, amount ?? '', pendingKey, reference].join('\n');
}

/** JSON with sorted keys, so that property order does not change the hash. A bigint becomes its digits. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const sortedNames = Object.keys(value).toSorted();
    return Object.fromEntries(sortedNames.map((name) => [name, (value as Record<string, unknown>)[name]]));
  });
}
