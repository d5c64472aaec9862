import type { moneyItem } from '@krapao/contract/endpoints/money';
import { type Currency, minor, toWire } from '@krapao/contract/money';
import type { z } from 'zod';
import type { Language } from '@krapao/contract/languages';
import type { ChosenBonus } from '../bonus/index.ts';
import type { Ledger, StatementRow } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import { done, open, type Timeline } from '../../platform/timeline.ts';
import { counterpartyOf } from '../statement/index.ts';
import type { UsualDurations } from './usual-durations.ts';

export type MoneyDeps = {
  database: Database;
  ledger: Pick<Ledger, 'statementRows'>;
  clock: Clock;
  durations: () => Promise<UsualDurations>;
  usualTime: (timeline: Timeline) => Promise<WireMoney['usualTime']>;
};

export type WireMoney = z.input<typeof moneyItem>;

const LINE = 'line-';
/** Greatest id of an operation. */
const ID_MAX = 2n ** 63n - 1n;

const lineKey = ({ operationId }: Pick<StatementRow, 'operationId'>): string => `${LINE}${operationId}`;

/** The operation that a key of a row names; null when it can name none. Undefined for an own reference. */
export function operationOf(key: string): bigint | null | undefined {
  if (!key.startsWith(LINE)) return undefined;
  const id = BigInt(key.slice(LINE.length));
  return id > ID_MAX ? null : id;
}

/** What the ledger alone knows of a row, for a movement that no other table describes. */
export function rowTimeline(row: StatementRow, currency: Currency): Timeline {
  const { kind, state, at } = row;
  const isDeposit = kind === 'deposit';
  const end = state === 'PROCESSING' ? [open('credited')] : [done(state === 'FAILED' ? 'returned' : 'credited', at)];
  return {
    key: row.reference,
    kind: isDeposit ? 'deposit' : kind === 'withdraw' || kind === 'transfer' ? kind : 'bonus',
    status: state,
    requested: row.requested,
    currency,
    from: counterpartyOf(row.debit),
    to: counterpartyOf(row.credit),
    account: null,
    bankReference: null,
    reason: null,
    steps: isDeposit
      ? end
      : [done('requested', at), ...(state === 'PROCESSING' ? [open('ended')] : [done('ended', null)])],
    expectation: null,
    operations: [],
    links: [],
  };
}

/** A timeline and its statement rows in wire format. The ledger times a credit: the item may have ended before. */
export function toWireMoney(
  timeline: Timeline,
  rows: readonly StatementRow[],
  {
    expectedBy,
    isLate,
    ...known
  }: { expectedBy: Date | null; isLate: boolean } & Pick<WireMoney, 'bonus' | 'usualTime'>,
): WireMoney {
  const { expectation: _, operations: __, bonusCode: ___, house: ____, steps, requested, ...item } = timeline;
  const creditedAt = rows.find(({ kind }) => kind === 'deposit' || kind === 'bonus')?.at;
  const lines = rows.map(lineKey);
  // A deposit without an announcement or slip has no reference of its own: banks reuse theirs.
  const key = item.kind === 'deposit' ? (lines[0] ?? item.key) : item.key;
  return {
    ...item,
    key,
    reference: item.key,
    amount: toWire(minor(rows.reduce((sum, { amount }) => sum + amount, 0n))),
    requested: requested === null ? null : toWire(requested),
    isLate,
    expectedBy: expectedBy?.toISOString() ?? null,
    steps: steps.map(({ name, at, isDone }) => {
      const known = name === 'credited' && isDone ? (creditedAt ?? at) : at;
      return { name, at: known?.toISOString() ?? null, isDone };
    }),
    links: [...item.links, ...lines].filter((link) => link !== key),
    usualTime: known.usualTime ?? null,
    bonus: known.bonus ?? null,
  };
}

/** A chosen bonus in wire format; null when the deposit has ended without money. */
export function toWireChosenBonus(
  { name, state, amount, ...chosen }: ChosenBonus,
  status: Timeline['status'],
  language: Language,
): NonNullable<WireMoney['bonus']> | null {
  if (status === 'FAILED') return null;
  const wireState = state === null || state === 'DUE' ? 'PENDING' : state;
  return { ...chosen, name: name[language], state: wireState, amount: amount === null ? null : toWire(amount) };
}
