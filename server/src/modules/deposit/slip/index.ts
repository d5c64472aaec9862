import type { FastifyInstance } from 'fastify';
import { failedWork } from '../../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../../platform/jobs/job.ts';
import { createResolver, type ResolverOptions } from '../../../platform/jobs/resolver.ts';
import { createWorkerPool } from '../../../platform/jobs/worker-pool.ts';
import { restrictImageDecoders } from '../../../platform/storage/image-decoders.ts';
import { StorageUnavailable } from '../../../platform/storage/port.ts';
import { slipRoutes } from './http.ts';
import { claimDue, slipWork } from './queries.ts';
import type { ImageReading } from './read-image.ts';
import { readSlip } from './read-slip.ts';
import { awaitApproval, settleSlip } from './settle-slip.ts';
import type { SlipDeps, Slip } from './slip.ts';
import { sweepFiles } from './upload-slip.ts';

export {
  findSentSlip,
  pendingSlips,
  selectSlipDurations,
  selectSlipSpeeds,
  selectSlipsOf,
  type SentSlip,
  SLIP_METHOD,
} from './timeline-queries.ts';

export { slipQueue } from './queries.ts';

export {
  operateSlip,
  type SlipRefusal,
  type ListedSlip,
  type SlipActionResult,
  type SlipAction,
  waitingSlips,
} from './admin.ts';

export type SlipModule = {
  /** Starts the resolver and the sweep of files. Call once, after migration. */
  start(): void;
  /** Resolves when pending work is done. Call before closing the ledger and the database. */
  stop(): Promise<void>;
};

export type SlipModuleDeps = Omit<SlipDeps, 'wakeResolver' | 'reader'>;

const READER_COUNT = 2;
const READER_QUEUE_MAX = 4;
const READER_TIMEOUT_MS = 30_000;
const READER_HEAP_MB = 128;
/** Longest wait for a reader, including the read. */
const READ_WAIT_MAX_MS = READER_TIMEOUT_MS * (1 + READER_QUEUE_MAX / READER_COUNT);
const SWEEP_INTERVAL_MS = 10 * 60_000;

/** Deposits by the slip of a bank transfer: upload, reading, look-up at the bank. */
export function slipModule(app: FastifyInstance, moduleDeps: SlipModuleDeps): SlipModule {
  const resolver = createResolver();
  let sweepJob: Job | undefined;
  restrictImageDecoders();
  const reader = createWorkerPool<Uint8Array, ImageReading>({
    program: new URL('./read-worker.ts', import.meta.url),
    size: READER_COUNT,
    queueMax: READER_QUEUE_MAX,
    timeoutMs: READER_TIMEOUT_MS,
    heapMb: READER_HEAP_MB,
  });
  const deps: SlipDeps = { ...moduleDeps, reader, wakeResolver: resolver.wake };
  slipRoutes(app, deps);
  const { log } = deps;
  return {
    start: () => {
      resolver.start(slipResolver(deps, READ_WAIT_MAX_MS));
      const sweep = (signal: AbortSignal) => sweepFiles(deps, signal);
      sweepJob ??= startPeriodicJob({ name: 'sweep slip files', everyMs: SWEEP_INTERVAL_MS, run: sweep, log });
    },
    stop: async () => {
      await Promise.all([resolver.stop(), sweepJob?.stop()]);
      sweepJob = undefined;
      await reader.close();
    },
  };
}

/** Concurrent slips of each state. */
const SLIP_CONCURRENCY = 4;

/**
 * Processes due slips: reads them, looks up their transfers, closes approved ones.
 * @param readingMs longest wait for a reader, including the read
 */
export function slipResolver(deps: SlipDeps, readingMs: number): ResolverOptions<Slip> {
  const leaseMs = readingMs + 2 * deps.bank.patienceMs + 10_000;
  return {
    name: 'work on slips',
    concurrency: SLIP_CONCURRENCY,
    claim: async (share, inProgress) =>
      claimDue(deps.database, share, leaseMs, { folderId: await findFolderId(deps), inProgress }),
    partitionsOf: ({ state }) => [state],
    handle: (slip) => {
      if (slip.state === 'MANUAL') return awaitApproval(deps, slip);
      return slip.state === 'RECEIVED' ? readSlip(deps, slip) : settleSlip(deps, slip);
    },
    failed: failedWork(deps.database, slipWork),
    keyOf: ({ id }) => id,
    // A slip that was read is due for look-up immediately.
    mayCreateDue: ({ state }) => state === 'RECEIVED',
    log: deps.log,
    failureMessage: 'slip processing failed',
    logFields: ({ reference }) => ({ reference }),
  };
}

// Without its storage folder a server reads no new slips, but processes read ones.
async function findFolderId({ storage }: SlipDeps): Promise<string | undefined> {
  try {
    return (await storage.folder())?.id;
  } catch (error) {
    if (error instanceof StorageUnavailable) return undefined;
    throw error;
  }
}
