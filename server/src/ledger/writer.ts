import { channel } from 'node:diagnostics_channel';
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import { monotonicMs, sleep } from '../platform/time.ts';
import { outsideTransaction } from '../platform/database/database.ts';
import type { DatabaseWatch } from '../platform/database/watch.ts';
import { type BatchReply, decodeBatch, type EncodedOperation } from './codec.ts';
import { LedgerBusy, LedgerUnavailable, retryActionFor } from './errors.ts';
import { LaneConnection } from './connection.ts';
import { type Verdict, outcomesOf, type EncodedCommand, postedIndexes, type CommandReply } from './types.ts';

/** Maximum operations per call. A larger batch would only delay its last operations. */
export const BATCH_MAX = 512;
/** Back-off between the attempts of one batch: about ten seconds in total, enough for a restart of the database. */
const BACKOFF_MS = [0, 20, 50, 100, 200, 400, 800, 1_200, 1_600, 2_000, 2_000, 2_000];

/** What a lane reports of a batch that it has just committed. */
export type PostedBatch = {
  lane: number;
  batchId: bigint;
  /** The batch before it on this lane, 0 for none. */
  previousBatch: bigint;
  at: Date;
  operations: { prepared: EncodedOperation; verdict: Verdict }[];
};

/** Channel of `node:diagnostics_channel` on which every answered batch is published. */
export const BATCH_CHANNEL = 'krapao:ledger-batch';
export type BatchTiming = { verdicts: readonly Verdict[]; seconds: number };

const answered = channel(BATCH_CHANNEL);

/** Groups of linked operations, and the command that they belong to, if any. */
export type LaneEntry = {
  memberId: string | undefined;
  groups: readonly (readonly EncodedOperation[])[];
  command?: EncodedCommand;
};

/** `outcome` is empty for an entry without a command. */
type LaneReply = CommandReply;

type Submission = LaneEntry & {
  /** Number of operations, at least 1: a command without any counts too. */
  size: number;
  resolve: (reply: LaneReply) => void;
  reject: (error: Error) => void;
};

export type LaneOptions = {
  url: string;
  watch: DatabaseWatch;
  /** Maximum queue length; the next caller is refused immediately. */
  queueMax: number;
  onPosted: (batch: PostedBatch) => void;
  onTrouble: (error: Error) => void;
};

/**
 * Group commit: one call in flight, queued operations form the next batch in order of arrival. No timer: a single
 * operation is sent immediately.
 */
export class Lane {
  readonly #options: LaneOptions;
  #queue: Submission[] = [];
  #waiting = 0;
  #running: Promise<void> | undefined;
  #connection: LaneConnection | undefined;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Queues a parcel. @throws {LedgerBusy} when the queue is full */
  submit(parcel: LaneEntry): Promise<LaneReply> {
    if (this.#closed) return Promise.reject(new LedgerBusy('the ledger is closing'));
    const size = Math.max(1, parcel.groups.flat().length);
    if (this.#waiting + size > this.#options.queueMax) {
      return Promise.reject(new LedgerBusy(`${this.#waiting} operations wait already`));
    }
    return new Promise((resolve, reject) => {
      this.#queue.push({ ...parcel, size, resolve, reject });
      this.#waiting += size;
      // The first caller may have a transaction open; the lane works for all callers, outside of it.
      this.#running ??= outsideTransaction(() => this.#run());
    });
  }

  /** Posts the queue, then closes the connection. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#connection?.close();
  }

  async #run(): Promise<void> {
    while (this.#queue.length > 0) {
      // Operations queued in this turn of the event loop join the call, and so do those that callers send in reaction
      // to the last answers; otherwise they would be split into a small call and a large one, again and again.
      await turnOfEventLoop();
      await this.#post(this.#take());
    }
    this.#running = undefined;
  }

  /**
   * The next batch. A key or a claim that is already in it waits for the batch after, when its answer is known; later
   * parcels of the same member wait too, so that none overtakes.
   */
  #take(): Submission[] {
    const taken: Submission[] = [];
    const left: Submission[] = [];
    const names = new Set<string>();
    const held = new Set<string | undefined>();
    let size = 0;
    for (const [index, submission] of this.#queue.entries()) {
      if (size + submission.size > BATCH_MAX) {
        left.push(...this.#queue.slice(index));
        break;
      }
      const { memberId } = submission;
      const own = namesOf(submission);
      if (held.has(memberId) || own.some((name) => names.has(name))) {
        held.add(memberId);
        left.push(submission);
        continue;
      }
      for (const name of own) names.add(name);
      taken.push(submission);
      size += submission.size;
    }
    this.#queue = left;
    this.#waiting -= size;
    return taken;
  }

  async #post(submissions: Submission[]): Promise<void> {
    const startedMs = monotonicMs();
    let reply: BatchReply;
    try {
      reply = await this.#send(submissions);
    } catch (error) {
      if (error instanceof LedgerUnavailable) return refuse(submissions, error);
      this.#options.onTrouble(error as Error);
      if (submissions.length === 1) return refuse(submissions, error as Error);
      // One of them fails every time: bisect until it is alone, so that the others get their answers.
      const middle = submissions.length >> 1;
      await this.#post(submissions.slice(0, middle));
      return this.#post(submissions.slice(middle));
    }
    try {
      this.#answer(submissions, reply, startedMs);
    } catch (error) {
      refuse(submissions, error as Error);
      this.#options.onTrouble(error as Error);
    }
  }

  #answer(submissions: Submission[], reply: BatchReply, startedMs: number): void {
    const all = submissions.flatMap(({ groups }) => groups.flat());
    const places = postedIndexes(reply, all.length);
    const posted = places.map((place) => all[place] as EncodedOperation);
    const verdicts = decodeBatch(reply, posted);
    const byPlace = new Map(places.map((place, index) => [place, verdicts[index] as Verdict]));
    const seconds = (monotonicMs() - startedMs) / 1000;
    answered.publish({ verdicts, seconds } satisfies BatchTiming);
    const outcomes = outcomesOf(reply).values();
    let from = 0;
    for (const { groups, command, resolve } of submissions) {
      const until = from + groups.flat().length;
      const own = Array.from({ length: until - from }, (_, index) => byPlace.get(from + index));
      resolve({ outcome: (command && outcomes.next().value) ?? '', verdicts: own, startedMs });
      from = until;
    }
    if (reply.batch_id === null || !this.#connection) return;
    this.#options.onPosted({
      lane: this.#connection.lane,
      batchId: BigInt(reply.batch_id),
      previousBatch: BigInt(reply.previous_batch),
      at: new Date(reply.at),
      operations: posted.map((prepared, index) => ({ prepared, verdict: verdicts[index] as Verdict })),
    });
  }

  /**
   * Retries the same batch with the same keys until the database has answered. It does not wait for a silent database:
   * the callers' outcome is then unknown, and they send the same key again.
   */
  async #send(submissions: readonly Submission[]): Promise<BatchReply> {
    const { url, watch } = this.#options;
    let last: unknown;
    for (const pause of BACKOFF_MS) {
      if (pause > 0) await sleep(pause);
      try {
        if (!this.#connection || this.#connection.lost) this.#connection = await LaneConnection.open(url, watch);
        return await this.#connection.post(submissions);
      } catch (error) {
        last = error;
        const remedy = retryActionFor(
          error,
          submissions.flatMap(({ command }) => command?.unique ?? []),
        );
        if (remedy === 'poison') throw error;
        if (remedy === 'reconnect') await this.#drop();
        this.#options.onTrouble(error as Error);
        if (watch.isSilent) break;
      }
    }
    throw new LedgerUnavailable(`the database gave no answer: ${String(last)}`, { cause: last });
  }

  async #drop(): Promise<void> {
    const connection = this.#connection;
    this.#connection = undefined;
    await connection?.close();
  }
}

/** No two entries of one call share a name: keys of operations, and claims of the command. */
const namesOf = ({ groups, command }: LaneEntry): string[] => [
  ...groups.flatMap((group) => group.map(({ key }) => key)),
  ...(command?.claims ?? []),
];

function refuse(submissions: readonly Submission[], error: Error): void {
  for (const { reject } of submissions) reject(error);
}
