import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, buildApp } from '../../src/app.ts';
import type { Outside } from '../../src/outside-config.ts';
import type { GameTab, ObjectStorageConfig, Variant } from '../../src/platform/config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { type Clock, systemClock } from '../../src/platform/time.ts';
import { type Api, apiClient } from './api-client.ts';
import { freePort } from './free-port.ts';
import { freshDatabase } from './fresh-database.ts';
import { buildTestOutside, PUSH_KEY, type TestOutside, writeOutside } from './outside-file.ts';
import { type Simulators, startSimulators, startSimulatorsProcess } from './simulators.ts';

export type SystemOptions = {
  /** False starts no simulators: every call to them is refused immediately. */
  simulators?: boolean;
  /**
   * Environment of the simulators, for example a clock that is ahead. The simulators then run in a separate process.
   */
  simulatorsEnvironment?: Readonly<Record<string, string>>;
  variant?: Variant;
  /** A clock controlled by the test. */
  clock?: Clock;
  /** Changes outside.json, for example the timeouts. */
  outside?: (outside: TestOutside) => Outside;
  requestsPerMinute?: number;
  /** False: no push messages are sent. */
  hasPushKey?: boolean;
  /** Which variant of the providers' sites browsers open. */
  gameSite?: string;
  /** Whether games open in a new tab (the default) or in the same tab. */
  gameTab?: GameTab;
  fpMinimum?: number;
  webDirectory?: string;
  /** Storage of files; by default a separate folder. */
  objectStorage?: ObjectStorageConfig;
};

export type System = {
  url: string;
  simulatorsUrl: string;
  database: Database;
  databaseUrl: string;
  outside: TestOutside;
  app: App;
  /** Calls the API over HTTP. */
  api: Api;
  /** Calls the simulators over HTTP. */
  simulatorsApi: Api;
  /** Unexpected errors so far. A test that causes one on purpose empties this list. */
  defects: Error[];
  /** Stops everything; throws if a call ended in an unexpected error. */
  stop(): Promise<void>;
};

/** The whole system with its own database, port, data folder and simulators. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-system-'));
  const [port, simulatorsPort, fresh] = await Promise.all([freePort(), freePort(), freshDatabase()]);
  const url = `http://127.0.0.1:${port}`;
  const simulatorsUrl = `http://127.0.0.1:${simulatorsPort}`;
  // Tests that remove a party don't use it afterwards.
  const outside = (options.outside ?? ((config) => config))(buildTestOutside(url, simulatorsUrl)) as TestOutside;
  const simulatorsOutsideFile = join(directory, 'outside.json');
  writeOutside(simulatorsOutsideFile, outside);
  const defects: Error[] = [];
  const [simulators, app] = await Promise.all([
    startSimulatorsFor(options, simulatorsPort, simulatorsOutsideFile, join(directory, 'simulators.log')),
    buildApp({
      database: fresh.database,
      databaseUrl: fresh.url,
      clock: options.clock ?? systemClock,
      outside,
      encryptionKey: Buffer.alloc(32, 7),
      variant: options.variant ?? 'th',
      objectStorage: options.objectStorage ?? { kind: 'files', directory: join(directory, 'files') },
      webDirectory: options.webDirectory ?? join(directory, 'no-web'),
      logLevel: 'silent',
      trustedProxies: 'loopback',
      truelinkSecret: 'krapao',
      pushKey: options.hasPushKey === false ? undefined : PUSH_KEY,
      requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
      // The test runs in this process too, and other tests load the machine.
      eventLoopDelayMaxMs: 0,
      fpMinimum: options.fpMinimum,
      gameSite: options.gameSite,
      ...(options.gameTab && { gameTab: options.gameTab }),
      metricsPort: undefined,
      onDefect: (error) => defects.push(error),
    }),
  ]);
  await app.listen({ port, host: '127.0.0.1' });
  return {
    url,
    simulatorsUrl,
    database: fresh.database,
    databaseUrl: fresh.url,
    outside,
    app,
    api: apiClient(url),
    simulatorsApi: apiClient(simulatorsUrl),
    defects,
    async stop() {
      await app.close();
      await simulators?.stop();
      await fresh.dropDatabase();
      rmSync(directory, { recursive: true, force: true });
      if (defects.length > 0)
        throw new AggregateError(defects, `calls ended in defects: ${defects.map(String).join('; ')}`);
    },
  };
}

async function startSimulatorsFor(
  options: SystemOptions,
  port: number,
  simulatorsOutsideFile: string,
  logFile: string,
): Promise<Simulators | undefined> {
  if (options.simulators === false) return undefined;
  const environment = options.simulatorsEnvironment;
  return environment
    ? startSimulatorsProcess(port, simulatorsOutsideFile, logFile, environment)
    : startSimulators(port, simulatorsOutsideFile);
}
