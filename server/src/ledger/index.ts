import type { Currency, Minor } from '@krapao/contract/money';
import type { Database, Queryable } from '../platform/database/database.ts';
import { coalesce } from '../platform/jobs/concurrency.ts';
import { type Audit, audit } from './audit.ts';
import {
  type AccountBalance,
  houseBalance,
  memberBalances,
  depositorsAmong,
  cashAfter,
  type CashFlow,
  type Losses,
  lossesAfter,
  playBetween,
  type PlayRead,
  playSince,
  type ReadPositions,
  walletSums,
} from './balances.ts';
import { encodeOperation } from './codec.ts';
import { BatchFeed, type BatchListener } from './feed.ts';
import { type LedgerEvent, type EventsRequest, eventsSince, lastEvent, type OpenHold, openHolds } from './events.ts';
import { BATCH_MAX, Lane } from './writer.ts';
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
import { statement, type StatementPage, type StatementRow, statementRows } from './statement.ts';
import { sleep } from '../platform/time.ts';

export {
  type AccountBalance,
  type Flow,
  accountFlows,
  type MemberAccounts,
  memberAccounts,
  type UnseenCash,
  unseenCashSql,
  cashSinceField,
  type CashEntry,
  type Losses,
  type Play,
  type ReadPositions,
} from './balances.ts';
export { type Audit, audit } from './audit.ts';
export { measureLedger } from './metrics.ts';
export type { BatchListener } from './feed.ts';
export type { LedgerEvent, Progress, OpenHold } from './events.ts';
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
export type { StatementRow, StatementPage } from './statement.ts';

export type LedgerOptions = {
  /** Address that each lane opens its own connection to. */
  url: string;
  /** For reading. */
  database: Database;
  /** Currency of operations that don't name one. */
  currency: Currency;
  /** More than one only when one core of the database is saturated. */
  lanes?: number;
  /** Maximum queue length of one lane. */
  queueMax?: number;
  /** Called for each failed attempt, before it is retried. */
  onTrouble?: (error: Error) => void;
};

/** From a moment until before another. */
export type Period = { from: Date; until: Date };

export type Ledger = {
  /**
   * Posts one operation, or several that are linked: all of them are applied or none. Resolves when it is committed.
   * The verdicts stand in the order of the operations. A refusal is a verdict, not an error.
   * @throws {LedgerBusy} nothing was sent · {LedgerUnavailable} unknown: send the same key again · {InvalidOperation}
   */
  post(operation: Operation | readonly Operation[]): Promise<Verdict[]>;
  /**
   * Writes a command's rows and posts its operations in one commit, shared with all callers that wait.
   * @throws as `post` does, and when the ledger refuses an operation that the command requires
   */
  postCommand<O extends string>(command: LedgerCommand<O>): Promise<CommandReply<O>>;
  /** @param on the transaction to read in */
  balances(memberId: string, on?: Queryable): Promise<AccountBalance[]>;
  /** Deposits (+) and payouts (−) after an entry of the wallet (0: from the first), oldest first; at most `limit` (200). */
  cashAfter(memberId: string, seq: bigint, on?: Queryable, limit?: number): Promise<CashFlow[]>;
  /** Money that entered (+) and left (−) the wallet in a period, by kind of movement. Held money has not left. */
  walletSums(memberId: string, period: Period, on?: Queryable): Promise<ReadonlyMap<string, Minor>>;
  /** Results of play, won (+) and lost (−): after the operations of some keys, or in a period. */
  playSince(
    memberId: string,
    asked: { keys: readonly string[]; read: ReadPositions },
    on?: Queryable,
  ): Promise<PlayRead>;
  playBetween(memberId: string, period: Period, on?: Queryable): Promise<Minor>;
  /** What members lost by play since the last read entry, per game. */
  lossesAfter(
    memberIds: readonly string[],
    read: readonly Pick<Losses, 'memberId' | 'kind' | 'seq'>[],
    on?: Queryable,
  ): Promise<Losses[]>;
  /** Which of these members have ever deposited money. */
  depositorsAmong(memberIds: readonly string[], on?: Queryable): Promise<string[]>;
  houseBalance(house: string, currency?: Currency): Promise<Minor>;
  /** Movements of the member's wallet, newest first; pages counted from 1, at most 100 lines each. */
  statement(memberId: string, page: { page: number; limit: number }, on?: Queryable): Promise<StatementPage>;
  /** Rows of the member's wallet by operation: by its id, or by its idempotency key. */
  statementRows(
    memberId: string,
    operations: { ids?: readonly bigint[]; keys?: readonly string[] },
    on?: Queryable,
  ): Promise<StatementRow[]>;
  /**
   * What happened to a member's money after an operation, oldest first; at most `limit` (200). One statement reads it for all
   * members that are asked about in the same turn, or while another such statement runs.
   */
  eventsSince(memberId: string, operationId: bigint, limit?: number): Promise<LedgerEvent[]>;
  /** The last operation that touched any account of a member; 0 when there is none. */
  lastEvent(memberId: string): Promise<bigint>;
  /**
   * Calls the listener with the events of each batch, batches of other processes included, once per batch and process.
   * @returns unsubscribes
   */
  onBatch(listener: BatchListener): () => void;
  /** Unresolved holds created before a moment, oldest first. */
  openHolds(madeBefore: Date, limit?: number): Promise<OpenHold[]>;
  /** Checks the books against themselves. Reads everything: for nightly jobs and tests. */
  audit(): Promise<Audit[]>;
  /** Posts the queues and closes the lanes. The database stays open. */
  close(): Promise<void>;
};

const QUEUE_MAX = 8_192;
const EVENTS_MAX = 200;
/** Members whose events one statement reads. */
const READERS_MAX = 64;
const LINES_MAX = 200;
const HOLDS_MAX = 500;

export function createLedger(options: LedgerOptions): Ledger {
  const { url, database, currency, queueMax = QUEUE_MAX, onTrouble = () => {} } = options;
  const feed = new BatchFeed(database, onTrouble);
  const laneOptions = { url, watch: database.watch, queueMax, onPosted: feed.posted.bind(feed), onTrouble };
  const lanes = Array.from({ length: options.lanes ?? 1 }, () => new Lane(laneOptions));
  const laneFor = (memberId: string | undefined): Lane => lanes[laneOf(memberId, lanes.length)] as Lane;
  const prepared = (operations: readonly Operation[]) =>
    operations.map((operation) => encodeOperation(operation, currency));
  const events = coalesce((requests) => readEvents(database, requests), nameOfRequest, READERS_MAX);
  return {
    post: async (posted) => {
      const operations = Array.isArray(posted) ? (posted as readonly Operation[]) : [posted as Operation];
      assertGroup(operations);
      const memberId = operations[0]?.memberId;
      const { verdicts } = await laneFor(memberId).submit({ memberId, groups: [prepared(operations)] });
      // Without a command every operation is posted.
      return verdicts as Verdict[];
    },
    postCommand: async (command) => {
      const { memberId, groups } = command;
      if (groups.length > 0) assertGroup(groups.flat());
      const entry = { memberId, groups: groups.map(prepared), command: encodeCommand(command) };
      const reply = await laneFor(memberId).submit(entry);
      assertOutcome(command, reply);
      return reply;
    },
    balances: (memberId, on = database) => memberBalances(on, memberId),
    cashAfter: (memberId, seq, on = database, limit = LINES_MAX) => cashAfter(on, memberId, seq, limit),
    walletSums: (memberId, period, on = database) => walletSums(on, memberId, period),
    playSince: (memberId, asked, on = database) => playSince(on, memberId, asked),
    playBetween: (memberId, period, on = database) => playBetween(on, memberId, period),
    lossesAfter: (memberIds, read, on = database) => lossesAfter(on, memberIds, read),
    depositorsAmong: (memberIds, on = database) => depositorsAmong(on, memberIds),
    houseBalance: (house, of = currency) => houseBalance(database, house, of),
    statement: (memberId, page, on = database) => statement(on, memberId, page),
    statementRows: (memberId, operations, on = database) => statementRows(on, memberId, operations),
    eventsSince: async (memberId, since, limit = EVENTS_MAX) => (await events({ memberId, since, limit })) ?? [],
    lastEvent: (memberId) => lastEvent(database, memberId),
    onBatch: (listener) => feed.listen(listener),
    openHolds: (madeBefore, limit = HOLDS_MAX) => openHolds(database, madeBefore, limit),
    audit: () => audit(database),
    close: async () => {
      await Promise.all(lanes.map((lane) => lane.close()));
      await feed.close();
    },
  };
}

const nameOfRequest = ({ memberId, since, limit }: EventsRequest): string => `${memberId} ${since} ${limit}`;

async function readEvents(
  database: Database,
  requests: readonly EventsRequest[],
): Promise<ReadonlyMap<string, LedgerEvent[]>> {
  const answers = await eventsSince(database, requests);
  return new Map(requests.map((request, index) => [nameOfRequest(request), answers[index] ?? []]));
}

function assertGroup(operations: readonly Operation[]): void {
  if (operations.length === 0 || operations.length > BATCH_MAX) throw new InvalidOperation('size of the group');
  for (const operation of operations) assertOperation(operation);
  if (new Set(operations.map(({ key }) => key)).size < operations.length) {
    throw new InvalidOperation('a key twice in one group');
  }
  // One member's data may be on one shard, and all of it goes through one lane.
  if (new Set(operations.map(({ memberId }) => memberId)).size > 1)
    throw new InvalidOperation('members mixed in a group');
}

/** The lane of a member: always the same, so that lanes don't wait for each other's rows. */
function laneOf(memberId: string | undefined, lanes: number): number {
  if (lanes === 1 || !memberId) return 0;
  let sum = 0;
  for (let at = 0; at < memberId.length; at += 1) sum = (Math.imul(sum, 31) + memberId.charCodeAt(at)) >>> 0;
  return sum % lanes;
}

const ROW_LOCKED_PAUSES_MS = [5, 10, 20, 50, 100, 200, 400, 800, 1_500, 2_000];

/**
 * Posts a command, and retries while a row of it is locked: a lane never waits for a row, because all members would wait.
 * @returns the last reply; `row_locked` when the row stayed locked for five seconds. `startedMs` is that of the first call
 *   unless the last one applied the command: an earlier call may have committed it.
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
