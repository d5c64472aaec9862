import type { timelineItem } from '@krapao/contract/endpoints/timeline';
import type { Language } from '@krapao/contract/languages';
import { type Currency, minor, toWire } from '@krapao/contract/money';
import type { z } from 'zod';
import type { Ledger, StatementRow } from '../../ledger/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import { done, open, type Timeline } from '../../platform/timeline.ts';
import type { ChosenBonus } from '../bonus/index.ts';
import { counterpartyOf } from '../statement/index.ts';
import type { UsualDurations } from './usual-durations.ts';

export type TimelineDeps = {
  database: Database;
  ledger: Pick<Ledger, 'statementRows'>;
  clock: Clock;
  durations: () => Promise<UsualDurations>;
  usualTime: (timeline: Timeline) => Promise<WireTimeline['usualTime']>;
};

export type WireTimeline = z.input<typeof timelineItem>;

const LINE = 'line-';
/** Greatest id of an operation. */
const ID_MAX = 2n ** 63n - 1n;

const lineKey = ({ operationId }: Pick<StatementRow, 'operationId'>): string => `${LINE}${operationId}`;

/** `row`: of the statement, by its operation. `reference`: own, or the bank's. `invalid`: of no possible row. */
export type ItemKey = { kind: 'row'; operationId: bigint } | { kind: 'reference' } | { kind: 'invalid' };

export function parseItemKey(key: string): ItemKey {
  if (!key.startsWith(LINE)) return { kind: 'reference' };
  const operationId = BigInt(key.slice(LINE.length));
  return operationId > ID_MAX ? { kind: 'invalid' } : { kind: 'row', operationId };
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
export function toWireTimeline(
  timeline: Timeline,
  rows: readonly StatementRow[],
  {
    expectedBy,
    isLate,
    ...known
  }: { expectedBy: Date | null; isLate: boolean } & Pick<WireTimeline, 'bonus' | 'usualTime'>,
): WireTimeline {
  const { expectation: _, operations: __, bonusCode: ___, houseAccount: ____, steps, requested, ...item } = timeline;
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
): NonNullable<WireTimeline['bonus']> | null {
  if (status === 'FAILED') return null;
  const wireState = state === null || state === 'DUE' ? 'PENDING' : state;
  return { ...chosen, name: name[language], state: wireState, amount: amount === null ? null : toWire(amount) };
}
