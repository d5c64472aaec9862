import cluster, { type Worker } from 'node:cluster';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { LogOutput } from '../start/rotating-file.ts';
import { serveAggregateMetrics } from './aggregate-metrics.ts';
import { SOCKET_FOLDER } from './session-forwarding.ts';

export type ApiProcesses = {
  /** Resolves with the address on which all processes listen. */
  ready: Promise<string>;
  /** Resolves with an explanation when a process exits unexpectedly. */
  died: Promise<string>;
  /** Whether the event loop of every process has turned since the last call. */
  areAlive: () => boolean;
  /** Sends a signal to all processes. */
  signal(name: NodeJS.Signals): void;
  /** Resolves when all processes have ended. */
  ended: Promise<void>;
};

export type ApiProcessesOptions = {
  count: number;
  /** URL of the running database, which all processes share. */
  databaseUrl: string;
  /** Destination of the log lines of all processes. Undefined: each writes to standard output. */
  logOutput: LogOutput | undefined;
};

/**
 * Runs the program again in several processes that share one port. They behave as nodes on one database, as on several
 * machines. This process keeps the embedded database and the log file.
 */
export function startApiProcesses({ count, databaseUrl, logOutput }: ApiProcessesOptions): ApiProcesses {
  const socketFolder = mkdtempSync(join(tmpdir(), 'krapao-api-'));
  cluster.setupPrimary({ silent: logOutput !== undefined });
  const environment = { DATABASE_URL: databaseUrl, LOG_TO: 'stdout', [SOCKET_FOLDER]: socketFolder };
  const workers = Array.from({ length: count }, () => cluster.fork(environment));
  for (const worker of workers) if (logOutput) copyOutput(worker, logOutput);
  serveAggregateMetrics(workers);
  const workerExits = workers.map(untilEnded);
  return {
    ready: Promise.all(workers.map(untilReady)).then(([url = '']) => url),
    died: Promise.race(workerExits),
    areAlive: monitorHeartbeats(workers),
    signal: (name) => {
      for (const worker of workers) if (!worker.isDead()) worker.process.kill(name);
    },
    ended: Promise.all(workerExits).then(() => rmSync(socketFolder, { recursive: true, force: true })),
  };
}

/** Copies whole lines: two processes write concurrently. */
function copyOutput(worker: Worker, output: LogOutput): void {
  const { stdout, stderr } = worker.process;
  if (stdout) createInterface({ input: stdout }).on('line', (line) => output.write(`${line}\n`));
  stderr?.on('data', (bytes: Buffer) => process.stderr.write(bytes));
}

const untilReady = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    worker.on('message', (message: { ready?: string }) => message.ready !== undefined && resolve(message.ready));
  });

const untilEnded = (worker: Worker): Promise<string> =>
  new Promise((resolve) => {
    // On `close` all output of the process has been read as well.
    worker.process.once('close', (code, signal) =>
      resolve(`API process ${worker.id} ${signal ? `was stopped by ${signal}` : `stopped with code ${code ?? 0}`}.`),
    );
  });

type HeartbeatQuestion = { isAlive?: true };
type HeartbeatAnswer = { alive?: true };

/**
 * Runs in the first process: monitors whether the event loop of every API process turns.
 * @returns a function that returns whether all processes have replied since its last call, and pings them again
 */
export function monitorHeartbeats(workers: readonly Worker[]): () => boolean {
  const silentWorkers = new Set<Worker>();
  for (const worker of workers) {
    worker.on('message', ({ alive }: HeartbeatAnswer) => alive && silentWorkers.delete(worker));
    // An ended process is no longer waited for; `died` reports its end.
    worker.once('exit', () => silentWorkers.delete(worker));
  }
  return () => {
    const allAnswered = silentWorkers.size === 0;
    for (const worker of workers) {
      if (silentWorkers.has(worker) || !worker.isConnected()) continue;
      silentWorkers.add(worker);
      worker.send({ isAlive: true } satisfies HeartbeatQuestion);
    }
    return allAnswered;
  };
}

/** Runs in an API process: its event loop replies to the pings of the first process. */
export function answerHeartbeats(): void {
  process.on('message', ({ isAlive }: HeartbeatQuestion) => {
    if (isAlive) process.send?.({ alive: true } satisfies HeartbeatAnswer);
  });
}
