import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type App, buildApp } from './app.ts';
import { readOutside } from './outside.ts';
import { sleep, systemClock } from './platform/clock.ts';
import { type Config, readConfig, STOP_PATIENCE_MS } from './platform/config.ts';
import { connectDatabase, type RunningDatabase } from './platform/database/connect-database.ts';
import { readEncryptionKey } from './platform/crypto/encryption-key.ts';
import { migrate } from './platform/database/migrate.ts';
import { openRotatingFile } from './platform/start/rotating-file.ts';
import { explainStartFailure } from './platform/start/start-failure.ts';

let config: Config | undefined;
let database: RunningDatabase | undefined;
let app: App | undefined;
let stopping = false;

// Ctrl-C comes from a person at the terminal; SIGTERM from a service manager, whose balancer has to drain callers
// first.
process.on('SIGINT', () => void stop(0));
process.on('SIGTERM', () => void drain());
process.on('uncaughtException', (error) => void stop(1, error.stack));
process.on('unhandledRejection', (reason) => void stop(1, stackOf(reason)));

try {
  config = readConfig();
  await start(config);
} catch (error) {
  // A process that is stopped during its start loses resources that it is about to use: that is not a failure to
  // report.
  if (!stopping) {
    const sentence = explainStartFailure(error, config ?? { port: 0, dataDirectory: '' });
    await stop(1, sentence ?? stackOf(error));
  }
}

async function start(settings: Config): Promise<void> {
  mkdirSync(settings.dataDirectory, { recursive: true });
  const outside = readOutside(settings.outsideFile, settings.publicUrl);
  const encryptionKey = readEncryptionKey(settings.secretsFile);
  // One file shared by everything: two writers of the same file would rename it under each other.
  const logOutput =
    settings.logFile === undefined ? undefined : openRotatingFile(settings.logFile, settings.logMaxBytes);
  database = await connectDatabase(settings, migrate);
  void database.died.then((sentence) => stop(1, sentence));
  app = await buildApp({
    ...settings,
    database: database.database,
    databaseUrl: database.url,
    clock: systemClock,
    outside,
    encryptionKey,
    logOutput,
  });
  const url = await app.listen(settings);
  // The parent process waits for it.
  process.send?.({ ready: url });
  app.http.log.info({ url, data: join(settings.dataDirectory) }, 'ready');
}

function stackOf(error: unknown): string {
  return error instanceof Error && error.stack ? error.stack : String(error);
}

/** Calls still succeed while `/health/ready` tells balancers to drain this node. A second signal stops at once. */
async function drain(): Promise<void> {
  if (app && config && !app.http.draining) {
    app.http.draining = true;
    app.http.log.info({ ms: config.drainMs }, 'draining');
    await sleep(config.drainMs);
  }
  await stop(0);
}

async function stop(status: number, why?: string): Promise<void> {
  if (why) process.stderr.write(`${why}\n`);
  if (stopping) return;
  stopping = true;
  // A second failure on the way must not leave it hanging.
  setTimeout(() => process.exit(1), STOP_PATIENCE_MS).unref();
  process.exitCode = status;
  try {
    await app?.close();
    await database?.stop();
    app?.http.log.info('stopped');
  } catch (error) {
    process.stderr.write(`${stackOf(error)}\n`);
    process.exitCode = 1;
  }
  process.exit();
}
