import type { Language } from '@krapao/contract/languages';
import { type Minor, minor } from '@krapao/contract/money';
import { EXPORT_PART_LINES } from '@krapao/contract/statement';
import type { Ledger, MovementFilter, StatementRow } from '../../ledger/index.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { findMember } from '../account/index.ts';
import { minorUnits } from './csv.ts';
import type { StatementEntry } from './statement.ts';

export type ReadPeriodDeps = {
  ledger: Pick<Ledger, 'eachMovement' | 'computeOpeningBalance' | 'balances'>;
  /** Completes rows of the ledger with what other modules know of them. */
  describe: (
    memberId: string,
    rows: readonly StatementRow[],
    language: Language,
    on: Queryable,
  ) => Promise<StatementEntry[]>;
};

/** A movement in a file. */
export type ExportedEntry = Omit<StatementEntry, 'balance'> & {
  /**
   * Free money after the movement. Without a filter it is the opening balance plus all amounts so far. Null for a
   * failed movement in a filtered file.
   */
  balance: Minor | null;
};

/** Movements of a part of a period, oldest first. */
export type ExportedPart = {
  entries: readonly ExportedEntry[];
  /** Undefined when the account is deleted. */
  holder: { name: string; memberCode: string } | undefined;
  /** Free money at the start and at the end of the part; undefined if a filter leaves movements out. */
  balances: { opening: bigint; closing: bigint } | undefined;
  /** The moment that all figures show. */
  asOf: Date;
};

type PeriodRequest = { memberId: string; language: Language; filter: MovementFilter & { from: string }; asOf: Date };

/**
 * Reads a period in parts of at most 20,000 movements; an empty period is one part. Call in one snapshot: each part
 * opens with the balance that the one before closes with.
 */
export async function* eachPart(
  { ledger, describe }: ReadPeriodDeps,
  tx: Queryable,
  { memberId, language, filter, asOf }: PeriodRequest,
): AsyncGenerator<ExportedPart> {
  const holder = await findMember(tx, memberId);
  let total = await openingOf(ledger, tx, memberId, filter);
  const toPart = (rows: readonly StatementEntry[]): ExportedPart => {
    const opening = total;
    const entries = rows.map((entry): ExportedEntry => {
      if (total === undefined)
        return { ...entry, balance: entry.status === 'FAILED' ? null : minorUnits(entry.balance) };
      total += minorUnits(entry.amount);
      return { ...entry, balance: minor(total) };
    });
    const balances = opening === undefined || total === undefined ? undefined : { opening, closing: total };
    return { entries, holder, balances, asOf };
  };
  let waiting: StatementEntry[] = [];
  let isFirst = true;
  for await (const rows of ledger.eachMovement(memberId, filter, tx)) {
    waiting = [...waiting, ...(await describe(memberId, rows, language, tx))];
    // One movement more than a part proves that another part follows.
    while (waiting.length > EXPORT_PART_LINES) {
      yield toPart(waiting.slice(0, EXPORT_PART_LINES));
      waiting = waiting.slice(EXPORT_PART_LINES);
      isFirst = false;
    }
  }
  if (isFirst || waiting.length > 0) yield toPart(waiting);
}

/** Free money at the start of an unfiltered period. */
async function openingOf(
  ledger: ReadPeriodDeps['ledger'],
  tx: Queryable,
  memberId: string,
  { types, game, status, reference, search, from }: PeriodRequest['filter'],
): Promise<bigint | undefined> {
  const isWhole = [types, game, status, reference, search].every((restriction) => restriction === undefined);
  if (!isWhole) return undefined;
  const free = (await ledger.balances(memberId, tx)).find(({ kind }) => kind === 'WALLET')?.free ?? 0n;
  return ledger.computeOpeningBalance(memberId, from, free, tx);
}
