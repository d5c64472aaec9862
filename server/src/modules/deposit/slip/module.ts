import type { FastifyInstance } from 'fastify';
import { type Job, startJob } from '../../../platform/jobs/job.ts';
import { limitPictureDecoders } from '../../../platform/storage/picture-decoders.ts';
import { createWorkerPool } from '../../../platform/jobs/worker-pool.ts';
import { createResolver } from '../../../settlement/resolver.ts';
import type { PictureReading } from './reading/read-picture.ts';
import { slipRoutes } from './routes.ts';
import type { SlipDeps } from './slip-deps.ts';
import { sweepFiles } from './sweep-files.ts';
import { slipKind } from './slip-kind.ts';

export { slipQueue } from './queries.ts';

export { operateSlip, type SlipHindrance, type SlipOnList, type SlipOperated, type SlipStep } from './operate-slips.ts';
export { waitingSlips } from './operate-slips.ts';

export type SlipModule = {
  /** Starts working on slips. Once, when the database is there. */
  start(): void;
  /** Ends after what is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type SlipModuleDeps = Omit<SlipDeps, 'wakeWork' | 'reader'>;

const READERS = 2;
const READER_QUEUE_MAX = 4;
const READER_TIMEOUT_MS = 30_000;
const READER_HEAP_MB = 128;
/** The wait for a reader, and the reading. */
const READING_MS = READER_TIMEOUT_MS * (1 + READER_QUEUE_MAX / READERS);
const SWEEP_EVERY_MS = 10 * 60_000;

/** Putting money in by a bank transfer whose slip is sent: the upload, its reading, the question to the bank. */
export function slipModule(app: FastifyInstance, given: SlipModuleDeps): SlipModule {
  const resolver = createResolver();
  let sweeper: Job | undefined;
  limitPictureDecoders();
  const reader = createWorkerPool<Uint8Array, PictureReading>({
    program: new URL('./reading/read-worker.ts', import.meta.url),
    size: READERS,
    queueMax: READER_QUEUE_MAX,
    timeoutMs: READER_TIMEOUT_MS,
    heapMb: READER_HEAP_MB,
  });
  const deps: SlipDeps = { ...given, reader, wakeWork: resolver.wake };
  slipRoutes(app, deps);
  const { log } = deps;
  return {
    start: () => {
      resolver.start(slipKind(deps, READING_MS));
      const sweep = (signal: AbortSignal) => sweepFiles(deps, signal);
      sweeper ??= startJob({ name: 'sweep slip files', everyMs: SWEEP_EVERY_MS, run: sweep, log });
    },
    stop: async () => {
      await Promise.all([resolver.stop(), sweeper?.stop()]);
      sweeper = undefined;
      await reader.close();
    },
  };
}
