import type { Currency, Minor } from '@krapao/contract/money';
import type { Database, Queryable } from '../platform/database/database.ts';
import type { PageRequest } from '../platform/database/paging.ts';
import { coalesce } from '../platform/jobs/concurrency.ts';
import { sleep } from '../platform/time.ts';
import { type AuditResult, audit } from './audit.ts';
import {
  type AccountBalance,
  houseAccountBalance,
  memberBalances,
  depositorsAmong,
  cashAfter,
  type CashFlow,
  type GameLosses,
  lossesAfter,
  playBetween,
  type PlayRead,
  playSince,
  type ReadPositions,
  walletSums,
} from './balances.ts';
import { encodeOperation } from './codec.ts';
import {
  type CashOutcomes,
  cashOutcomesAfter,
  type LedgerEvent,
  type EventsRequest,
  eventsSince,
  selectLastBatches,
  lastEvent,
  type OpenHold,
  openHolds,
} from './events.ts';
import { BatchFeed, type BatchListener } from './feed.ts';
import {
  eachMovement,
  type FilteredPage,
  type FilteredRequest,
  filteredStatement,
  type MovementFilter,
  computeOpeningBalance,
} from './filtered-statement.ts';
import { statement, type StatementPage, type StatementRow, statementRows } from './statement.ts';
import {
  assertOperation,
  InvalidOperation,
  type Operation,
  type Verdict,
  encodeCommand,
  type LedgerCommand,
  type CommandReply,
  assertOutcome,
} from './types.ts';
import { BATCH_MAX, Lane } from './writer.ts';

export {
  type AccountBalance,
  type AccountFlow,
  accountFlows,
  type MemberAccounts,
  memberAccounts,
  countHolders,
  type UnseenCash,
  unseenCashSql,
  isKindUnused,
  cashSinceField,
  type CashEntry,
  type GameLosses,
  type PlayResult,
  type ReadPositions,
} from './balances.ts';
export { type AuditResult, audit, compareBalances } from './audit.ts';
export { measureLedger } from './metrics.ts';
export { entriesByAccounts } from './totals.ts';
export type { BatchListener } from './feed.ts';
export type { CashOutcome, LedgerEvent, OperationProgress, OpenHold } from './events.ts';
export { LedgerBusy, LedgerUnavailable } from './errors.ts';
export {
  InvalidOperation,
  type AccountRef,
  type Balance,
  type MemberAccount,
  type Operation,
  type RejectionReason,
  type Verdict,
  type LedgerCommand,
  type CommandReply,
} from './types.ts';
export type { FilteredPage, FilteredRequest, MovementFilter } from './filtered-statement.ts';
export { type StatementRow, type StatementPage, statementRows } from './statement.ts';

export type LedgerOptions = {
  /** Database URL; each lane opens its own connection. */
  url: string;
  /** Used for reading. */
  database: Database;
  /** Currency of operations without one. */
  currency: Currency;
  /** Number of lanes. More than one only helps if one database core is saturated. */
  lanes?: number;
  /** Maximum queue length of one lane. */
  queueMax?: number;
  /** Called for each failed attempt, before the retry. */
  onTrouble?: (error: Error) => void;
};

/** Half-open time range: `from` is included, `until` is not. */
export type Period = { from: Date; until: Date };

export type Ledger = {
  /**
   * Posts one operation, or several linked operations: all of them are applied or none. Resolves after the commit.
   * Verdicts are in the order of the operations. A refused operation is a verdict, not an error.
   * @throws {LedgerBusy} nothing was sent · {LedgerUnavailable} unknown: send the same key again · {InvalidOperation}
   */
  post(operation: Operation | readonly Operation[]): Promise<Verdict[]>;
  /**
   * Writes a command's rows and posts its operations in one commit. Commands of other callers may share the commit.
   * @throws the errors of `post`; an error if the ledger refuses an operation that the command requires
   */
  postCommand<O extends string>(command: LedgerCommand<O>): Promise<CommandReply<O>>;
  /** @param on transaction for the read */
  balances(memberId: string, on?: Queryable): Promise<AccountBalance[]>;
  /**
   * Deposits (+) and payouts (−) after a wallet entry, oldest first; at most `limit` (200). `seq` 0 starts at the first
   * entry.
   */
  cashAfter(memberId: string, seq: bigint, on?: Queryable, limit?: number): Promise<CashFlow[]>;
  /** Sums that entered (+) and left (−) the wallet in a period, by kind of operation. Held money has not left. */
  walletSums(memberId: string, period: Period, on?: Queryable): Promise<ReadonlyMap<string, Minor>>;
  /** Results of play, won (+) and lost (−), after each of the given operations. */
  playSince(
    memberId: string,
    query: { keys: readonly string[]; read: ReadPositions },
    on?: Queryable,
  ): Promise<PlayRead>;
  playBetween(memberId: string, period: Period, on?: Queryable): Promise<Minor>;
  /** Members' play losses per game after the given read positions. */
  lossesAfter(
    memberIds: readonly string[],
    read: readonly Pick<GameLosses, 'memberId' | 'kind' | 'seq'>[],
    on?: Queryable,
  ): Promise<GameLosses[]>;
  /** Returns the members who have ever deposited money. */
  depositorsAmong(memberIds: readonly string[], on?: Queryable): Promise<string[]>;
  houseAccountBalance(houseAccount: string, currency?: Currency): Promise<Minor>;
  /** Statement of the member's wallet, newest first. Pages start at 1 and have at most 100 rows. */
  statement(memberId: string, page: PageRequest<bigint>, on?: Queryable): Promise<StatementPage>;
  /** A page of the movements that match a filter, among the newest entries of its period. */
  filteredStatement(memberId: string, request: FilteredRequest, on?: Queryable): Promise<FilteredPage>;
  /** All movements that match a filter, oldest first, in steps. */
  eachMovement(memberId: string, filter: MovementFilter, on: Queryable): AsyncGenerator<StatementRow[]>;
  /** Free money in the wallet at a time, by the movements since then. `free`: the free money now. */
  computeOpeningBalance(memberId: string, from: string, free: bigint, on: Queryable): Promise<Minor>;
  /** Rows of the member's wallet by operation: by its id, or by its idempotency key. */
  statementRows(
    memberId: string,
    operations: { ids?: readonly bigint[]; keys?: readonly string[] },
    on?: Queryable,
  ): Promise<StatementRow[]>;
  /**
   * Events of a member after an operation id, oldest first; at most `limit` (200). Concurrent calls for several members
   * share one statement.
   */
  eventsSince(memberId: string, operationId: bigint, limit?: number): Promise<LedgerEvent[]>;
  /** Id of the newest operation on any account of a member; 0 without operations. */
  lastEvent(memberId: string): Promise<bigint>;
  /**
   * Calls the listener once per batch with its events, including batches of other processes.
   * @returns a function that unsubscribes
   */
  onBatch(listener: BatchListener): () => void;
  /** Newest batch id by lane. */
  lastBatches(): Promise<ReadonlyMap<number, bigint>>;
  /** Credited deposits and ended withdrawals in at most `limit` batches of a lane after a batch, oldest first. */
  cashOutcomesAfter(lane: number, batchId: bigint, limit: number, on?: Queryable): Promise<CashOutcomes>;
  /** Holds created before a time that are neither posted nor voided, oldest first. */
  openHolds(madeBefore: Date, limit?: number): Promise<OpenHold[]>;
  /** Runs all audit queries. Reads every row: for nightly jobs and tests. */
  audit(): Promise<AuditResult[]>;
  /** Posts the queued operations and closes the lanes. The database stays open. */
  close(): Promise<void>;
};

const QUEUE_MAX = 8_192;
const EVENTS_MAX = 200;
/** Maximum number of members whose events one statement reads. */
const READERS_MAX = 64;
const CASH_FLOWS_MAX = 200;
const HOLDS_MAX = 500;

export function createLedger(options: LedgerOptions): Ledger {
  const { url, database, currency, queueMax = QUEUE_MAX, onTrouble = () => {} } = options;
  const feed = new BatchFeed(database, onTrouble);
  const laneOptions = { url, watch: database.watch, queueMax, onPosted: feed.publishOwnBatch.bind(feed), onTrouble };
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => new Lane(laneOptions));
  const laneFor = (memberId: string | undefined): Lane => lanes[laneOf(memberId, lanes.length)] as Lane;
  const encodeAll = (operations: readonly Operation[]) =>
    operations.map((operation) => encodeOperation(operation, currency));
  const eventsOfMember = coalesce((requests) => readEvents(database, requests), requestKey, READERS_MAX);
  return {
    post: async (operationOrGroup) => {
      const operations = Array.isArray(operationOrGroup)
        ? (operationOrGroup as readonly Operation[])
        : [operationOrGroup as Operation];
      assertGroup(operations);
      const memberId = operations[0]?.memberId;
      const { verdicts } = await laneFor(memberId).submit({ memberId, groups: [encodeAll(operations)] });
      // Every operation is posted, because there is no command.
      return verdicts as Verdict[];
    },
    postCommand: async (command) => {
      const { memberId, groups } = command;
      if (groups.length > 0) assertGroup(groups.flat());
      const entry = { memberId, groups: groups.map(encodeAll), command: encodeCommand(command) };
      const reply = await laneFor(memberId).submit(entry);
      assertOutcome(command, reply);
      return reply;
    },
    balances: (memberId, on = database) => memberBalances(on, memberId),
    cashAfter: (memberId, seq, on = database, limit = CASH_FLOWS_MAX) => cashAfter(on, memberId, seq, limit),
    walletSums: (memberId, period, on = database) => walletSums(on, memberId, period),
    playSince: (memberId, query, on = database) => playSince(on, memberId, query),
    playBetween: (memberId, period, on = database) => playBetween(on, memberId, period),
    lossesAfter: (memberIds, read, on = database) => lossesAfter(on, memberIds, read),
    depositorsAmong: (memberIds, on = database) => depositorsAmong(on, memberIds),
    houseAccountBalance: (houseAccount, accountCurrency = currency) =>
      houseAccountBalance(database, houseAccount, accountCurrency),
    statement: (memberId, page, on = database) => statement(on, memberId, page),
    filteredStatement: (memberId, request, on = database) => filteredStatement(on, memberId, request),
    eachMovement: (memberId, filter, on) => eachMovement(on, memberId, filter),
    computeOpeningBalance: (memberId, from, free, on) => computeOpeningBalance(on, memberId, from, free),
    statementRows: (memberId, operations, on = database) => statementRows(on, memberId, operations),
    eventsSince: async (memberId, since, limit = EVENTS_MAX) =>
      (await eventsOfMember({ memberId, since, limit })) ?? [],
    lastEvent: (memberId) => lastEvent(database, memberId),
    onBatch: (listener) => feed.listen(listener),
    lastBatches: () => selectLastBatches(database),
    cashOutcomesAfter: (lane, batchId, limit, on = database) => cashOutcomesAfter(on, lane, batchId, limit),
    openHolds: (createdBefore, limit = HOLDS_MAX) => openHolds(database, createdBefore, limit),
    audit: () => audit(database),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
      await feed.close();
    },
  };
}

const requestKey = ({ memberId, since, limit }: EventsRequest): string => `${memberId} ${since} ${limit}`;

async function readEvents(
  database: Database,
  requests: readonly EventsRequest[],
): Promise<ReadonlyMap<string, LedgerEvent[]>> {
  const eventsByRequest = await eventsSince(database, requests);
  return new Map(requests.map((request, index) => [requestKey(request), eventsByRequest[index] ?? []]));
}

function assertGroup(operations: readonly Operation[]): void {
  if (operations.length === 0 || operations.length > BATCH_MAX) throw new InvalidOperation('size of the group');
  for (const operation of operations) assertOperation(operation);
  if (new Set(operations.map(({ key }) => key)).size < operations.length) {
    throw new InvalidOperation('a key twice in one group');
  }
  // All data of one member may be on one shard and must use one lane.
  if (new Set(operations.map(({ memberId }) => memberId)).size > 1)
    throw new InvalidOperation('members mixed in a group');
}

/** Lane of a member. A member always gets the same lane, so that lanes do not wait for each other's row locks. */
function laneOf(memberId: string | undefined, lanes: number): number {
  if (lanes === 1 || !memberId) return 0;
  let hash = 0;
  for (let index = 0; index < memberId.length; index += 1)
    hash = (Math.imul(hash, 31) + memberId.charCodeAt(index)) >>> 0;
  return hash % lanes;
}

const ROW_LOCKED_PAUSES_MS = [5, 10, 20, 50, 100, 200, 400, 800, 1_500, 2_000];

/**
 * Posts a command, and retries while one of its rows is locked. A lane never waits for a row lock: commands of all its
 * members queue behind the command in progress.
 * @returns the last reply; `row_locked` if the row stayed locked for five seconds. `startedMs` is the time of the first
 *   call, unless the last call applied the command: an earlier call may have committed it.
 */
export async function retryOnRowLock<O extends string>(post: () => Promise<CommandReply<O>>): Promise<CommandReply<O>> {
  let reply = await post();
  const { startedMs } = reply;
  for (const pauseMs of ROW_LOCKED_PAUSES_MS) {
    if (reply.outcome !== 'row_locked') break;
    await sleep(pauseMs);
    reply = await post();
  }
  return reply.outcome === 'applied' ? reply : { ...reply, startedMs };
}
