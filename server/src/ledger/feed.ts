import { setTimeout as after } from 'node:timers';
import { sleep } from '../platform/time.ts';
import type { Connection, Database } from '../platform/database/database.ts';
import { type LedgerEvent, operationProgress, walletChange, batchesAfter, laneHeads } from './events.ts';
import type { PostedBatch } from './writer.ts';
import { type AccountRef, isMember } from './types.ts';

export type BatchListener = (events: readonly LedgerEvent[]) => void;

const CHANNEL = 'ledger_batch';
/** Other processes are notified of posted batches at most this often: one empty NOTIFY, after the commits. */
const ANNOUNCE_PAUSE_MS = 5;
/** Polling interval, in case a notification is lost. */
const POLL_MS = 1_000;
const BATCHES_PER_READ = 200;

/**
 * Publishes what happened to members' money, each batch once and in the order of its lane: batches of this process as
 * soon as they are committed, those of other processes (and those whose answer this process lost) from the database.
 */
export class BatchFeed {
  readonly #database: Database;
  readonly #onTrouble: (error: Error) => void;
  readonly #listeners = new Set<BatchListener>();
  readonly #stop = new AbortController();
  /** The last published batch of each lane. */
  readonly #seen = new Map<number, bigint>();
  #started = false;
  #connection: Connection | undefined;
  #me = '';
  #following: Promise<void> | undefined;
  #sweeping: Promise<void> | undefined;
  #sweepAgain = false;
  #announced: NodeJS.Timeout | undefined;
  #announcing: Promise<void> = Promise.resolve();

  constructor(database: Database, onTrouble: (error: Error) => void) {
    this.#database = database;
    this.#onTrouble = onTrouble;
  }

  /** Subscribes to batches from now on. @returns unsubscribes */
  listen(listener: BatchListener): () => void {
    this.#listeners.add(listener);
    this.#following ??= this.#follow();
    return () => this.#listeners.delete(listener);
  }

  /** A batch of this process was committed. */
  posted(batch: PostedBatch): void {
    if (!this.#following) return;
    this.#announced ??= after(() => this.#announce(), ANNOUNCE_PAUSE_MS).unref();
    if (!this.#started || this.#lastSeen(batch.lane) === batch.previousBatch) {
      this.#seen.set(batch.lane, batch.batchId);
      this.#tell(eventsOf(batch));
    } else {
      // An earlier batch of this lane is not published yet; it comes first.
      void this.#sweep();
    }
  }

  async close(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#announced);
    this.#listeners.clear();
    await this.#following;
    await this.#sweeping;
    const connection = this.#connection;
    // Cleared first, so that its end isn't treated as a loss. Not returned to the pool, because it listens.
    this.#connection = undefined;
    connection?.release(new Error('the feed was closed'));
  }

  async #follow(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!this.#started) await this.#start();
        this.#connection ??= await this.#connect();
      } catch (error) {
        this.#onTrouble(error as Error);
      }
      await this.#sweep();
      await sleep(POLL_MS, this.#stop.signal);
    }
  }

  /** Batches committed before the first subscription are not published. */
  async #start(): Promise<void> {
    for (const [lane, head] of await laneHeads(this.#database)) {
      if (head > this.#lastSeen(lane)) this.#seen.set(lane, head);
    }
    this.#started = true;
  }

  #lastSeen(lane: number): bigint {
    return this.#seen.get(lane) ?? 0n;
  }

  async #connect(): Promise<Connection> {
    const connection = await this.#database.connection();
    connection.onLost((error) => {
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      connection.release(error);
    });
    connection.onNotification((_channel, from) => {
      if (from !== this.#me) void this.#sweep();
    });
    try {
      const { rows } = await connection.query<{ pid: number }>('select pg_backend_pid() as pid');
      this.#me = String(rows[0]?.pid);
      await connection.query(`listen ${CHANNEL}`);
      return connection;
    } catch (error) {
      connection.release(error as Error);
      throw error;
    }
  }

  /** One call at a time: on a slow connection the next call waits for the answer to the last. */
  #announce(): void {
    this.#announced = undefined;
    this.#announcing = this.#announcing.then(() =>
      this.#connection?.query('select pg_notify($1, $2)', [CHANNEL, this.#me]).then(() => {}, this.#onTrouble),
    );
  }

  /** Reads unpublished batches. Never concurrent; a call during a run repeats it. */
  #sweep(): Promise<void> {
    this.#sweepAgain = true;
    this.#sweeping ??= this.#sweepAll().finally(() => (this.#sweeping = undefined));
    return this.#sweeping;
  }

  async #sweepAll(): Promise<void> {
    try {
      while (this.#sweepAgain && this.#started && !this.#stop.signal.aborted) {
        this.#sweepAgain = false;
        for (const [lane, head] of await laneHeads(this.#database)) await this.#catchUp(lane, head);
      }
    } catch (error) {
      // The next poll retries.
      this.#onTrouble(error as Error);
    }
  }

  async #catchUp(lane: number, head: bigint): Promise<void> {
    for (let at = this.#lastSeen(lane); at < head; at = this.#lastSeen(lane)) {
      const batches = await batchesAfter(this.#database, lane, at, BATCHES_PER_READ);
      if (batches.length === 0) return;
      for (const { batchId, events } of batches) {
        // This process may have published it while the rows were in transit.
        if (batchId <= this.#lastSeen(lane)) continue;
        this.#seen.set(lane, batchId);
        this.#tell(events);
      }
    }
  }

  #tell(events: readonly LedgerEvent[]): void {
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
  for (const { prepared, verdict } of operations) {
    const { operation } = prepared;
    const { memberId, type, kind, reference } = operation;
    const [debit, credit] = [kindOf(operation.debit), kindOf(operation.credit)];
    // An adjustment by zero has no entry, so that eventsSince does not return it either.
    const isNothing = type !== 'mark' && verdict.amount === 0n;
    if (!memberId || verdict.outcome !== 'applied' || verdict.replayed || isNothing) continue;
    // The amount of an adjustment is signed from the view of the member's account, whether that is debit or credit.
    const moved = type === 'adjust' ? { debit: '', credit: debit || credit } : { debit, credit };
    const amount = walletChange({ type, amount: verdict.amount, ...moved });
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

const kindOf = (account: AccountRef): string => (isMember(account) ? account.kind : '');
