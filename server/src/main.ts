import cluster from 'node:cluster';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { readPushKey } from './adapters/push.ts';
import { type App, buildApp } from './app.ts';
import { reportGoLive } from './go-live.ts';
import { leasedTables } from './inventory.ts';
import { readOutside } from './outside-config.ts';
import { DRAIN_TIMEOUT_MS, type Config, readConfig, STOP_TIMEOUT_MS, stopWithinMs } from './platform/config.ts';
import { readEncryptionKeys } from './platform/crypto/encryption.ts';
import { connectDatabase, type RunningDatabase } from './platform/database/connect.ts';
import { migrate } from './platform/database/migrate.ts';
import { holdProgramLock, type ProgramLock } from './platform/database/program-lock.ts';
import { perProcessLimits } from './platform/http/limits.ts';
import { exportSpans } from './platform/http/tracing.ts';
import { startReleasingLeases } from './platform/jobs/leases.ts';
import { type ApiProcesses, startApiProcesses, answerHeartbeats } from './platform/processes/api-processes.ts';
import { type LogOutput, openRotatingFile } from './platform/start/rotating-file.ts';
import { openServiceManager, type ServiceManager } from './platform/start/service-manager.ts';
import { explainStartFailure } from './platform/start/startup-errors.ts';
import { monotonicMs, sleep, systemClock } from './platform/time.ts';

let config: Config | undefined;
let database: RunningDatabase | undefined;
let app: App | undefined;
let programLock: ProgramLock | undefined;
let endSpans: (() => Promise<void>) | undefined;
let processes: ApiProcesses | undefined;
let serviceManager: ServiceManager | undefined;
let isStopping = false;

// Ctrl-C comes from a person at the terminal; SIGTERM from a service manager, whose load balancer has to drain callers
// first.
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void (processes ? stop(0, undefined, 'SIGTERM') : drain()));
process.on('uncaughtException', (error) => void stop(1, error.stack));
process.on('unhandledRejection', (reason) => void stop(1, stackOf(reason)));

try {
  config = readConfig();
  if (cluster.isPrimary) serviceManager = openServiceManager(config);
  else answerHeartbeats();
  await (cluster.isPrimary && config.apiProcesses > 1 ? startProcesses(config) : start(config));
} catch (error) {
  // A process that is stopped during its start loses resources in use; such a failure is not reported.
  if (!isStopping) {
    const explanation = explainStartFailure(error, config ?? { port: 0, metricsPort: undefined, dataDirectory: '' });
    await stop(1, explanation ?? stackOf(error));
  }
}

/** Starts several API processes that share the port; this process keeps the database and the log. */
async function startProcesses(settings: Config): Promise<void> {
  mkdirSync(settings.dataDirectory, { recursive: true });
  const logOutput = openLog(settings);
  database = await connectDatabase(settings, migrate);
  void database.died.then((sentence) => stop(1, sentence));
  if (isStopping) return;
  processes = startApiProcesses({ count: settings.apiProcesses, databaseUrl: database.url, logOutput });
  void processes.died.then((sentence) => {
    if (!isStopping) void stop(1, sentence);
  });
  const url = await processes.ready;
  serviceManager?.ready(processes.areAlive);
  process.send?.({ ready: url });
}

function openLog({ logFile, logMaxBytes }: Config): LogOutput | undefined {
  // One file for all output: two writers of one file would rename it under each other.
  return logFile === undefined ? undefined : openRotatingFile(logFile, logMaxBytes);
}

async function start(settings: Config): Promise<void> {
  mkdirSync(settings.dataDirectory, { recursive: true });
  const outside = readOutside(settings.outsideFile, settings.publicUrl);
  const { encryptionKey, otherEncryptionKeys } = readEncryptionKeys(settings.secretsFile);
  const logOutput = openLog(settings);
  database = await connectDatabase(settings, migrate);
  void database.died.then((sentence) => stop(1, sentence));
  app = await buildApp({
    ...settings,
    httpLimits: cluster.isWorker ? perProcessLimits(settings.httpLimits, settings.apiProcesses) : settings.httpLimits,
    apiSockets: cluster.isWorker ? settings.apiSockets : undefined,
    database: database.database,
    databaseUrl: database.url,
    standby: { url: settings.databaseReadUrl, size: settings.databaseConnections },
    clock: systemClock,
    outside,
    encryptionKey,
    otherEncryptionKeys,
    pushKey: readPushKey(settings.secretsFile),
    logOutput,
    measuredFolders: {
      data: settings.dataDirectory,
      archive: settings.walArchive,
      backups: settings.backupFolder,
    },
  });
  const { log } = app.http;
  if (settings.spans) {
    endSpans = await exportSpans(settings.spans, (reason) => log.warn({ reason }, 'spans were not exported'));
  }
  programLock = await announceProgram(database, log);
  void programLock.outdated.then((sentence) => stop(1, sentence));
  const url = await app.listen(settings);
  serviceManager?.ready();
  // The parent process waits for this message.
  process.send?.({ ready: url });
  log.info({ url, data: join(settings.dataDirectory) }, 'ready');
  // Once, and not by each API process.
  if (!settings.simulators && (cluster.worker?.id ?? 1) === 1) {
    // A database that fails now is reported by its own watch.
    await reportGoLive({ ...settings, database: database.database, outside, clock: systemClock }, log).catch(
      (error: Error) => log.warn({ reason: error.message }, 'start without an examination: run krapao doctor'),
    );
  }
}

/** Holds the locks that announce this process, and releases the leases of processes whose locks are gone. */
async function announceProgram({ database: on }: RunningDatabase, log: App['http']['log']): Promise<ProgramLock> {
  const lock = await holdProgramLock(on, log);
  const leaseRelease = startReleasingLeases(on, leasedTables, { log, now: monotonicMs });
  return {
    outdated: lock.outdated,
    stop: async () => {
      await leaseRelease.stop();
      await lock.stop();
    },
  };
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}

/**
 * Drains: `/health/ready` replies 404 while calls still succeed. The port stays open until calls in flight have ended,
 * because a load balancer aborts the calls of a node with a closed port. A second signal stops immediately.
 */
async function drain(): Promise<void> {
  if (app && config && !app.http.draining) {
    app.http.draining = true;
    serviceManager?.stopping();
    app.http.log.info({ ms: config.drainMs }, 'draining');
    await sleep(config.drainMs);
    await app.http.calls.ended(DRAIN_TIMEOUT_MS);
  }
  await stop(0);
}

/** @param signal signal for the API processes: SIGTERM lets them drain first */
async function stop(status: number, message?: string, signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<void> {
  if (message) process.stderr.write(`${message}\n`);
  serviceManager?.stopping();
  // Also passes on a second signal, which ends a drain.
  processes?.signal(signal);
  if (isStopping) return;
  isStopping = true;
  // A second failure during the stop must not leave the process hanging.
  const withinMs = signal === 'SIGTERM' ? stopWithinMs(config?.drainMs ?? 0) : STOP_TIMEOUT_MS;
  setTimeout(() => process.exit(1), withinMs).unref();
  process.exitCode = status;
  try {
    await app?.close();
    await processes?.ended;
    await programLock?.stop();
    await database?.stop();
    await endSpans?.();
    app?.http.log.info('stopped');
  } catch (error) {
    process.stderr.write(`${stackOf(error)}\n`);
    process.exitCode = 1;
  }
  process.exit();
}
