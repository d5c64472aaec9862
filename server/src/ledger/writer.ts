import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { outsideTransaction } from '../platform/database/database.ts';
import type { DatabaseWatch } from '../platform/database/watch.ts';
import { monotonicMs, sleep } from '../platform/time.ts';
import { type BatchReply, decodeBatch, type EncodedOperation } from './codec.ts';
import { LaneConnection } from './connection.ts';
import { LedgerBusy, LedgerUnavailable, recoveryFor } from './errors.ts';
import { type Verdict, outcomesOf, type EncodedCommand, postedIndexes, type CommandReply } from './types.ts';

/** Maximum operations per call. A larger batch would delay its last operations. */
export const BATCH_MAX = 512;
/** Back-off before each attempt of a batch. Ten seconds in total cover a database restart. */
const BACKOFF_MS = [0, 20, 50, 100, 200, 400, 800, 1_200, 1_600, 2_000, 2_000, 2_000];

/** A batch that a lane has just committed. */
export type PostedBatch = {
  lane: number;
  batchId: bigint;
  /** Previous batch of the same lane; 0 for the first. */
  previousBatch: bigint;
  at: Date;
  operations: { encoded: EncodedOperation; verdict: Verdict }[];
};

/** Name of the `node:diagnostics_channel` on which every completed batch is published. */
export const BATCH_CHANNEL = 'krapao:ledger-batch';
export type BatchTiming = { verdicts: readonly Verdict[]; seconds: number };

const batchChannel = channel(BATCH_CHANNEL);

/** Groups of linked operations, and their command if any. */
export type LaneEntry = {
  memberId: string | undefined;
  groups: readonly (readonly EncodedOperation[])[];
  command?: EncodedCommand;
};

/** `outcome` is empty for an entry without a command. */
type LaneReply = CommandReply;

type Submission = LaneEntry & {
  /** Number of operations. At least 1, also for a command without operations. */
  operationCount: number;
  resolve: (reply: LaneReply) => void;
  reject: (error: Error) => void;
};

export type LaneOptions = {
  url: string;
  watch: DatabaseWatch;
  /** Maximum queue length; further calls are refused immediately. */
  queueMax: number;
  onPosted: (batch: PostedBatch) => void;
  onTrouble: (error: Error) => void;
};

/**
 * Group commit: one call is in flight, and queued operations form the next batch in order of arrival. There is no
 * timer: a single operation is sent immediately.
 */
export class Lane {
  readonly #options: LaneOptions;
  #queue: Submission[] = [];
  #queuedOperations = 0;
  #postRun: Promise<void> | undefined;
  #connection: LaneConnection | undefined;
  #isClosed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Queues an entry. @throws {LedgerBusy} if the queue is full */
  submit(entry: LaneEntry): Promise<LaneReply> {
    if (this.#isClosed) return Promise.reject(new LedgerBusy('the ledger is closing'));
    const size = Math.max(1, entry.groups.flat().length);
    if (this.#queuedOperations + size > this.#options.queueMax) {
      return Promise.reject(new LedgerBusy(`${this.#queuedOperations} operations wait already`));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...entry, operationCount: size, resolve, reject });
      this.#queuedOperations += size;
      // The first caller may have an open transaction. The lane serves all callers and must run outside of it.
      this.#postRun ??= outsideTransaction(() => this.#postQueue());
    });
  }

  /** Posts the queue, then closes the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#postRun;
    await this.#connection?.close();
  }

  async #postQueue(): Promise<void> {
    while (this.#queue.length > 0) {
      // Waits one turn of the event loop. Callers that react to the previous replies join this batch; otherwise every
      // batch would split into a small and a large one.
      await turnOfEventLoop();
      await this.#post(this.#takeBatch());
    }
    this.#postRun = undefined;
  }

  /**
   * Removes the next batch from the queue. An entry whose key or claim is already in the batch waits for the next
   * batch. Later entries of the same member also wait, so that their order is kept.
   */
  #takeBatch(): Submission[] {
    const batch: Submission[] = [];
    const remaining: Submission[] = [];
    const claimedNames = new Set<string>();
    const delayedMembers = new Set<string | undefined>();
    let size = 0;
    for (const [index, submission] of this.#queue.entries()) {
      if (size + submission.operationCount > BATCH_MAX) {
        remaining.push(...this.#queue.slice(index));
        break;
      }
      const { memberId } = submission;
      const submissionNames = namesOf(submission);
      if (delayedMembers.has(memberId) || submissionNames.some((name) => claimedNames.has(name))) {
        delayedMembers.add(memberId);
        remaining.push(submission);
        continue;
      }
      for (const name of submissionNames) claimedNames.add(name);
      batch.push(submission);
      size += submission.operationCount;
    }
    this.#queue = remaining;
    this.#queuedOperations -= size;
    return batch;
  }

  async #post(submissions: Submission[]): Promise<void> {
    const startedMs = monotonicMs();
    let reply: BatchReply;
    try {
      reply = await this.#sendWithRetries(submissions);
    } catch (error) {
      if (error instanceof LedgerUnavailable) return rejectAll(submissions, error);
      this.#options.onTrouble(error as Error);
      if (submissions.length === 1) return rejectAll(submissions, error as Error);
      // One of the submissions fails every time. Bisecting isolates it, so that the others succeed.
      const middleIndex = submissions.length >> 1;
      await this.#post(submissions.slice(0, middleIndex));
      return this.#post(submissions.slice(middleIndex));
    }
    try {
      this.#resolveSubmissions(submissions, reply, startedMs);
    } catch (error) {
      rejectAll(submissions, error as Error);
      this.#options.onTrouble(error as Error);
    }
  }

  #resolveSubmissions(submissions: Submission[], reply: BatchReply, startedMs: number): void {
    const operations = submissions.flatMap(({ groups }) => groups.flat());
    const postedPositions = postedIndexes(reply, operations.length);
    const postedOperations = postedPositions.map((position) => operations[position] as EncodedOperation);
    const verdicts = decodeBatch(reply, postedOperations);
    const verdictByPosition = new Map(postedPositions.map((position, index) => [position, verdicts[index] as Verdict]));
    const seconds = (monotonicMs() - startedMs) / 1000;
    batchChannel.publish({ verdicts, seconds } satisfies BatchTiming);
    const outcomes = outcomesOf(reply).values();
    let start = 0;
    for (const { groups, command, resolve } of submissions) {
      const end = start + groups.flat().length;
      const verdictsOfEntry = Array.from({ length: end - start }, (_, index) => verdictByPosition.get(start + index));
      resolve({ outcome: (command && outcomes.next().value) ?? '', verdicts: verdictsOfEntry, startedMs });
      start = end;
    }
    if (reply.batch_id === null || !this.#connection) return;
    this.#options.onPosted({
      lane: this.#connection.lane,
      batchId: BigInt(reply.batch_id),
      previousBatch: BigInt(reply.previous_batch),
      at: new Date(reply.at),
      operations: postedOperations.map((encoded, index) => ({ encoded, verdict: verdicts[index] as Verdict })),
    });
  }

  /**
   * Retries the same batch with the same keys until the database replies. Stops if the database is silent: the outcome
   * is then unknown, and callers send the same key again.
   */
  async #sendWithRetries(submissions: readonly Submission[]): Promise<BatchReply> {
    const { url, watch } = this.#options;
    let lastError: unknown;
    for (const pauseMs of BACKOFF_MS) {
      if (pauseMs > 0) await sleep(pauseMs);
      try {
        if (!this.#connection || this.#connection.isLost) this.#connection = await LaneConnection.open(url, watch);
        return await this.#connection.post(submissions);
      } catch (error) {
        lastError = error;
        const recovery = recoveryFor(
          error,
          submissions.flatMap(({ command }) => command?.unique ?? []),
        );
        if (recovery === 'poison') throw error;
        if (recovery === 'reconnect') await this.#dropConnection();
        this.#options.onTrouble(error as Error);
        if (watch.isSilent) break;
      }
    }
    throw new LedgerUnavailable(`the database gave no reply: ${String(lastError)}`, { cause: lastError });
  }

  async #dropConnection(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}

/** Operation keys and command claims of an entry. No two entries of one call share any of them. */
const namesOf = ({ groups, command }: LaneEntry): string[] => [
  ...groups.flatMap((group) => group.map(({ key }) => key)),
  ...(command?.claims ?? []),
];

function rejectAll(submissions: readonly Submission[], error: Error): void {
  for (const { reject } of submissions) reject(error);
}
