import { Worker } from 'node:worker_threads';

export type WorkerPoolOptions = {
  /** The program of a worker: answers each message `{id, input}` with `{id, output}` or `{id, error}`. */
  program: URL;
  /** Maximum number of workers; each works on one job at a time. */
  size: number;
  /** Maximum queue length. */
  queueMax: number;
  /** A worker that takes longer is killed, and another takes its place. */
  timeoutMs: number;
  /** Heap limit of a worker, in MB; a worker past it dies. */
  heapMb: number;
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

type Job = { input: unknown; resolve: (output: never) => void; reject: (error: Error) => void };
type Reply = { id: number; output?: unknown; error?: string };

/** Workers for CPU-heavy work and for untrusted files, which could crash the process. They start on demand. */
export function createWorkerPool<Input, Output>(options: WorkerPoolOptions): WorkerPool<Input, Output> {
  const waiting: Job[] = [];
  const idle: Worker[] = [];
  const all = new Set<Worker>();
  let closed = false;
  let lastId = 0;

  const start = (): Worker => {
    const worker = newWorker(options);
    all.add(worker);
    worker.once('exit', () => {
      all.delete(worker);
      const at = idle.indexOf(worker);
      if (at >= 0) idle.splice(at, 1);
      next();
    });
    return worker;
  };

  const next = (): void => {
    while (!closed && waiting.length > 0 && (idle.length > 0 || all.size < options.size)) {
      const job = waiting.shift();
      if (job) work(idle.pop() ?? start(), job);
    }
  };

  const work = (worker: Worker, job: Job): void => {
    lastId += 1;
    const id = lastId;
    const end = (settle: () => void, isDead: boolean) => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      worker.unref();
      if (isDead) void worker.terminate();
      else idle.push(worker);
      settle();
      next();
    };
    const die = (why: string) => end(() => job.reject(new WorkerDied(why)), true);
    const onMessage = (reply: Reply) => {
      if (reply.id !== id) return;
      const { error, output } = reply;
      end(() => (error === undefined ? job.resolve(output as never) : job.reject(new WorkerDied(error))), false);
    };
    const onError = (error: Error) => die(error.message);
    const onExit = () => die('the worker ended');
    const timer = setTimeout(() => die(`took more than ${options.timeoutMs} ms`), options.timeoutMs);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.ref();
    worker.postMessage({ id, input: job.input });
  };

  return {
    run: (input) =>
      new Promise((resolve, reject) => {
        if (closed) reject(new WorkerDied('closed'));
        else if (waiting.length >= options.queueMax) reject(new PoolFull('too much waits'));
        else {
          waiting.push({ input, resolve, reject });
          next();
        }
      }),
    async close() {
      closed = true;
      for (const job of waiting.splice(0)) job.reject(new WorkerDied('closed'));
      await Promise.all([...all].map((worker) => worker.terminate()));
    },
  };
}

function newWorker({ program, heapMb }: WorkerPoolOptions): Worker {
  const worker = new Worker(program, {
    // No environment and no flags of the main program: a worker needs neither.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  // A worker that fails between two jobs must not end the process.
  worker.on('error', () => {});
  worker.unref();
  return worker;
}
