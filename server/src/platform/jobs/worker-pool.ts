import { Worker } from 'node:worker_threads';

export type WorkerPoolOptions = {
  /** The program of a worker: replies to each message `{id, input}` with `{id, output}` or `{id, error}`. */
  program: URL;
  /** Maximum number of workers; each processes one job at a time. */
  size: number;
  /** Maximum queue length. */
  queueMax: number;
  /** Timeout of a job; the worker is killed and replaced. */
  timeoutMs: number;
  /** Heap limit of a worker, in MB; a worker dies above it. */
  heapMb: number;
  /** Whether a worker ends after each job, which frees its memory. */
  isSingleUse?: boolean;
};

export type WorkerPool<Input, Output> = {
  /**
   * Runs one job.
   * @throws {PoolFull} the queue is full, try again later · {WorkerDied} took too long, or too much memory
   */
  run(input: Input): Promise<Output>;
  /** Kills the workers; running and queued jobs fail with {@link WorkerDied}. */
  close(): Promise<void>;
};

export class PoolFull extends Error {
  override readonly name = 'PoolFull';
}

export class WorkerDied extends Error {
  override readonly name = 'WorkerDied';
}

type PoolJob = { input: unknown; resolve: (output: never) => void; reject: (error: Error) => void };
type WorkerReply = { id: number; output?: unknown; error?: string };

/** Workers for CPU-heavy work and for untrusted files, which could crash the process. They start on demand. */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const queuedJobs: PoolJob[] = [];
  const idleWorkers: Worker[] = [];
  const allWorkers = new Set<Worker>();
  let isClosed = false;
  let lastId = 0;

  const startWorker = (): Worker => {
    const worker = newWorker(options);
    allWorkers.add(worker);
    worker.once('exit', () => {
      allWorkers.delete(worker);
      const idleIndex = idleWorkers.indexOf(worker);
      if (idleIndex >= 0) idleWorkers.splice(idleIndex, 1);
      startNextJob();
    });
    return worker;
  };

  const startNextJob = (): void => {
    while (!isClosed && queuedJobs.length > 0 && (idleWorkers.length > 0 || allWorkers.size < options.size)) {
      const job = queuedJobs.shift();
      if (job) runJob(idleWorkers.pop() ?? startWorker(), job);
    }
  };

  const runJob = (worker: Worker, job: PoolJob): void => {
    lastId += 1;
    const id = lastId;
    const endJob = (settleJob: () => void, isDead: boolean) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      if (isDead || options.isSingleUse) void worker.terminate();
      else idleWorkers.push(worker);
      settleJob();
      startNextJob();
    };
    const failJob = (cause: string) => endJob(() => job.reject(new WorkerDied(cause)), true);
    const onMessage = (reply: WorkerReply) => {
      if (reply.id !== id) return;
      const { error, output } = reply;
      endJob(() => (error === undefined ? job.resolve(output as never) : job.reject(new WorkerDied(error))), false);
    };
    const onError = (error: Error) => failJob(error.message);
    const onExit = () => failJob('the worker ended');
    const timer = setTimeout(() => failJob(`took more than ${options.timeoutMs} ms`), options.timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage({ id, input: job.input });
  };

  return {
    run: (input) =>
      new Promise((resolve, reject) => {
        if (isClosed) reject(new WorkerDied('closed'));
        else if (queuedJobs.length >= options.queueMax) reject(new PoolFull('too much waits'));
        else {
          queuedJobs.push({ input, resolve, reject });
          startNextJob();
        }
      }),
    async close() {
      isClosed = true;
      for (const job of queuedJobs.splice(0)) job.reject(new WorkerDied('closed'));
      await Promise.all([...allWorkers].map((worker) => worker.terminate()));
    },
  };
}

function newWorker({ program, heapMb }: WorkerPoolOptions): Worker {
  const worker = new Worker(program, {
    // No environment and no flags of the main program, which a worker does not need.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  // A worker that fails between two jobs must not end the process.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}
