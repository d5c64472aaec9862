import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LogOutput } from '../start/rotating-file.ts';
import { serveAggregateMetrics } from './aggregate-metrics.ts';
import { SOCKET_FOLDER } from './session-forwarding.ts';

export type ApiProcesses = {
  /** The address that all of them listen on, once they do. */
  ready: Promise<string>;
  /** Resolves with a sentence when a process exits unexpectedly. */
  died: Promise<string>;
  /** Whether the event loop of each has turned since the last call. */
  areAlive: () => boolean;
  /** Passes a signal on to all of them. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when all have ended. */
  ended: Promise<void>;
};

export type ApiProcessesOptions = {
  count: number;
  /** The database that is already running, for all of them. */
  databaseUrl: string;
  /** Writes the lines of all of them; undefined: each writes to standard output. */
  logOutput: LogOutput | undefined;
};

/**
 * Runs the program of this process again in several processes that share one port. They are nodes on one database, as on
 * several machines. This process keeps what there is once: the embedded database and the log file.
 */
export function startApiProcesses({ count, databaseUrl, logOutput }: ApiProcessesOptions): ApiProcesses {
  const sockets = mkdtempSync(join(tmpdir(), 'krapao-api-'));
  cluster.setupPrimary({ silent: logOutput !== undefined });
  const environment = { DATABASE_URL: databaseUrl, LOG_TO: 'stdout', [SOCKET_FOLDER]: sockets };
  const workers = Array.from({ length: count }, () => cluster.fork(environment));
  for (const worker of workers) if (logOutput) copyOutput(worker, logOutput);
  serveAggregateMetrics(workers);
  const exits = workers.map(endOf);
  return {
    ready: Promise.all(workers.map(readinessOf)).then(([url = '']) => url),
    died: Promise.race(exits),
    areAlive: monitorHeartbeats(workers),
    signal: (name) => {
      for (const worker of workers) if (!worker.isDead()) worker.process.kill(name);
    },
    ended: Promise.all(exits).then(() => rmSync(sockets, { recursive: true, force: true })),
  };
}

/** Lines go out whole: two processes write at the same time. */
function copyOutput(worker: Worker, output: LogOutput): void {
  const { stdout, stderr } = worker.process;
  if (stdout) createInterface({ input: stdout }).on('line', (line) => output.write(`${line}\n`));
  stderr?.on('data', (bytes: Buffer) => process.stderr.write(bytes));
}

const readinessOf = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    worker.on('message', (message: { ready?: string }) => message.ready !== undefined && resolve(message.ready));
  });

const endOf = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    // Then all that it wrote has been read as well.
    worker.process.once('close', (code, signal) =>
      resolve(`API process ${worker.id} ${signal ? `was stopped by ${signal}` : `stopped with code ${code ?? 0}`}.`),
    );
  });

type Question = { isAlive?: true };
type Answer = { alive?: true };

/**
 * In the first process: whether the event loop of every API process turns.
 * @returns a function that says whether all have answered the question of its last call, and asks again
 */
export function monitorHeartbeats(workers: readonly Worker[]): () => boolean {
  const silent = new Set<Worker>();
  for (const worker of workers) {
    worker.on('message', ({ alive }: Answer) => alive && silent.delete(worker));
    // One that has ended is no longer waited for: its end is noticed as such.
    worker.once('exit', () => silent.delete(worker));
  }
  return () => {
    const allAnswered = silent.size === 0;
    for (const worker of workers) {
      if (silent.has(worker) || !worker.isConnected()) continue;
      silent.add(worker);
      worker.send({ isAlive: true } satisfies Question);
    }
    return allAnswered;
  };
}

/** In an API process: its event loop answers the first process. */
export function answerHeartbeats(): void {
  process.on('message', ({ isAlive }: Question) => {
    if (isAlive) process.send?.({ alive: true } satisfies Answer);
  });
}
