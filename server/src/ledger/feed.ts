import { setTimeout as after } from 'node:timers';
import type { Connection, Database } from '../platform/database/database.ts';
import { sleep } from '../platform/time.ts';
import { type LedgerEvent, operationProgress, walletChange, batchesAfter, selectLastBatches } from './events.ts';
import { type AccountRef, isMember } from './types.ts';
import type { PostedBatch } from './writer.ts';

export type BatchListener = (events: readonly LedgerEvent[]) => void;

const CHANNEL = 'ledger_batch';
/** Minimum interval between notifications to other processes. Each is one empty NOTIFY after the commits. */
const NOTIFY_INTERVAL_MS = 5;
/** Polling interval, in case a notification is lost. */
const POLL_MS = 1_000;
const BATCHES_PER_READ = 200;

/**
 * Publishes member events, each batch once and in the order of its lane. Batches of this process are published right
 * after their commit. Batches of other processes, and batches whose reply this process lost, are read from the
 * database.
 */
export class BatchFeed {
  readonly #database: Database;
  readonly #onTrouble: (error: Error) => void;
  readonly #listeners = new Set<BatchListener>();
  readonly #stop = new AbortController();
  /** Last published batch by lane. */
  readonly #lastPublished = new Map<number, bigint>();
  #isStarted = false;
  #connection: Connection | undefined;
  #ownPid = '';
  #followRun: Promise<void> | undefined;
  #catchUpRun: Promise<void> | undefined;
  #mustRepeatCatchUp = false;
  #notifyTimer: NodeJS.Timeout | undefined;
  #notifyRun: Promise<void> = Promise.resolve();

  constructor(database: Database, onTrouble: (error: Error) => void) {
    this.#database = database;
    this.#onTrouble = onTrouble;
  }

  /** Subscribes to all later batches. @returns a function that unsubscribes */
  listen(listener: BatchListener): () => void {
    this.#listeners.add(listener);
    this.#followRun ??= this.#followBatches();
    return () => this.#listeners.delete(listener);
  }

  /** Called after a batch of this process is committed. */
  publishOwnBatch(batch: PostedBatch): void {
    if (!this.#followRun) return;
    this.#notifyTimer ??= after(() => this.#notifyProcesses(), NOTIFY_INTERVAL_MS).unref();
    if (!this.#isStarted || this.#lastPublishedOf(batch.lane) === batch.previousBatch) {
      this.#lastPublished.set(batch.lane, batch.batchId);
      this.#notifyListeners(eventsOf(batch));
    } else {
      // An earlier batch of this lane is not published yet and must be published first.
      void this.#catchUp();
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#notifyTimer);
    this.#listeners.clear();
    await this.#followRun;
    await this.#catchUpRun;
    const connection = this.#connection;
    // Cleared first, so that closing the connection is not treated as a loss. The connection is not returned to the
    // pool, because it listens.
    this.#connection = undefined;
    connection?.release(new Error('the feed was closed'));
  }

  async #followBatches(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!this.#isStarted) await this.#readStartPositions();
        this.#connection ??= await this.#connect();
      } catch (error) {
        this.#onTrouble(error as Error);
      }
      await this.#catchUp();
      await sleep(POLL_MS, this.#stop.signal);
    }
  }

  /** Batches committed before the first subscription are not published. */
  async #readStartPositions(): Promise<void> {
    for (const [lane, head] of await selectLastBatches(this.#database)) {
      if (head > this.#lastPublishedOf(lane)) this.#lastPublished.set(lane, head);
    }
    this.#isStarted = true;
  }

  #lastPublishedOf(lane: number): bigint {
    return this.#lastPublished.get(lane) ?? 0n;
  }

  async #connect(): Promise<Connection> {
    const connection = await this.#database.connection();
    connection.onLost((error) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      connection.release(error);
    });
    connection.onNotification((_channel, notifierPid) => {
      if (notifierPid !== this.#ownPid) void this.#catchUp();
    });
    try {
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
      this.#ownPid = String(rows[0]?.pid);
      await connection.query(`listen ${CHANNEL}`);
      return connection;
    } catch (error) {
      connection.release(error as Error);
      throw error;
    }
  }

  /** Only one call is in flight: on a slow connection the next call waits for the reply. */
  #notifyProcesses(): void {
    this.#notifyTimer = undefined;
    this.#notifyRun = this.#notifyRun.then(() =>
      this.#connection?.query('select pg_notify($1, $2)', [CHANNEL, this.#ownPid]).then(() => {}, this.#onTrouble),
    );
  }

  /** Publishes unpublished batches. Runs never overlap; a call during a run repeats the run. */
  #catchUp(): Promise<void> {
    this.#mustRepeatCatchUp = true;
    this.#catchUpRun ??= this.#catchUpAllLanes().finally(() => (this.#catchUpRun = undefined));
    return this.#catchUpRun;
  }

  async #catchUpAllLanes(): Promise<void> {
    try {
      while (this.#mustRepeatCatchUp && this.#isStarted && !this.#stop.signal.aborted) {
        this.#mustRepeatCatchUp = false;
        for (const [lane, head] of await selectLastBatches(this.#database)) await this.#catchUpLane(lane, head);
      }
    } catch (error) {
      // The next poll retries.
      this.#onTrouble(error as Error);
    }
  }

  async #catchUpLane(lane: number, lastBatch: bigint): Promise<void> {
    for (
      let lastPublished = this.#lastPublishedOf(lane);
      lastPublished < lastBatch;
      lastPublished = this.#lastPublishedOf(lane)
    ) {
      const batches = await batchesAfter(this.#database, lane, lastPublished, BATCHES_PER_READ);
      if (batches.length === 0) return;
      for (const { batchId, events } of batches) {
        // This process may have published the batch while the rows were being read.
        if (batchId <= this.#lastPublishedOf(lane)) continue;
        this.#lastPublished.set(lane, batchId);
        this.#notifyListeners(events);
      }
    }
  }

  #notifyListeners(events: readonly LedgerEvent[]): void {
    if (events.length === 0) return;
    for (const listener of this.#listeners) {
      try {
        listener(events);
      } catch (error) {
        this.#onTrouble(error as Error);
      }
    }
  }
}

function eventsOf({ operations, at }: PostedBatch): LedgerEvent[] {
  const events: LedgerEvent[] = [];
  for (const { encoded, verdict } of operations) {
    const { operation } = encoded;
    const { memberId, type, kind, reference } = operation;
    const [debit, credit] = [accountKindOf(operation.debit), accountKindOf(operation.credit)];
    // An adjustment by zero has no entry, so eventsSince does not return it either.
    const isUnchanged = type !== 'mark' && verdict.amount === 0n;
    if (!memberId || verdict.outcome !== 'applied' || verdict.replayed || isUnchanged) continue;
    // The amount of an adjustment is signed for the member's account, which may be debit or credit.
    const accountKinds = type === 'adjust' ? { debit: '', credit: debit || credit } : { debit, credit };
    const amount = walletChange({ type, amount: verdict.amount, ...accountKinds });
    events.push({
      operationId: verdict.operationId,
      memberId,
      type,
      kind,
      state: operationProgress(type),
      reference,
      amount,
      at,
    });
  }
  return events;
}

const accountKindOf = (account: AccountRef): string => (isMember(account) ? account.kind : '');
