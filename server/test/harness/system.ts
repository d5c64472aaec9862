import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, buildApp } from '../../src/app.ts';
import type { Outside } from '../../src/outside-config.ts';
import { type Clock, systemClock } from '../../src/platform/time.ts';
import type { GameTab, ObjectStorageConfig, Variant } from '../../src/platform/config.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { type Api, apiClient } from './api-client.ts';
import { freePort } from './free-port.ts';
import { freshDatabase } from './fresh-database.ts';
import { testOutside, writeOutside } from './outside-file.ts';
import { type Simulators, startSimulators, startSimulatorsProcess } from './simulators.ts';

export type SystemOptions = {
  /** False starts no outside: every call to it is refused immediately. */
  simulators?: boolean;
  /** Environment of the simulators, for example a clock that is ahead: they run in a process of their own with it. */
  simulatorsEnvironment?: Readonly<Record<string, string>>;
  variant?: Variant;
  /** A clock that the test moves. */
  clock?: Clock;
  /** Changes to what outside.json says, for example other timeouts. */
  outside?: (outside: Outside) => Outside;
  requestsPerMinute?: number;
  /** Which variant of the providers' sites browsers open. */
  gameSite?: string;
  /** Whether games open in a new tab, as usual, or in the same one. */
  gameTab?: GameTab;
  fpMinimum?: number;
  webDirectory?: string;
  /** Where files are kept; left out, in a folder of its own. */
  objectStorage?: ObjectStorageConfig;
};

export type System = {
  url: string;
  simulatorsUrl: string;
  database: Database;
  databaseUrl: string;
  outside: Outside;
  app: App;
  /** Calls the API over HTTP. */
  api: Api;
  /** Calls the simulators over HTTP. */
  world: Api;
  /** Unforeseen failures so far. Empty this list in a test that causes one on purpose. */
  defects: Error[];
  /** Stops everything; throws when a call ended in a defect that no test asked for. */
  stop(): Promise<void>;
};

/** The whole system as it runs, on a database, a port, a data folder and an outside of its own. */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const directory = mkdtempSync(join(tmpdir(), 'krapao-system-'));
  const [port, simulatorsPort, fresh] = await Promise.all([freePort(), freePort(), freshDatabase()]);
  const url = `http://127.0.0.1:${port}`;
  const simulatorsUrl = `http://127.0.0.1:${simulatorsPort}`;
  const outside = (options.outside ?? ((same) => same))(testOutside(url, simulatorsUrl));
  const outsideFile = join(directory, 'outside.json');
  writeOutside(outsideFile, outside);
  const defects: Error[] = [];
  const [simulators, app] = await Promise.all([
    simulatorsOf(options, simulatorsPort, outsideFile, join(directory, 'simulators.log')),
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
      requestsPerMinute: options.requestsPerMinute ?? 1_000_000,
      // This process is the test too, and the machine has more to do than to serve it.
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
    world: apiClient(simulatorsUrl),
    defects,
    async stop() {
      await app.close();
      await simulators?.stop();
      await fresh.drop();
      rmSync(directory, { recursive: true, force: true });
      if (defects.length > 0)
        throw new AggregateError(defects, `calls ended in defects: ${defects.map(String).join('; ')}`);
    },
  };
}

async function simulatorsOf(
  options: SystemOptions,
  port: number,
  outsideFile: string,
  logFile: string,
): Promise<Simulators | undefined> {
  if (options.simulators === false) return undefined;
  const environment = options.simulatorsEnvironment;
  return environment
    ? startSimulatorsProcess(port, outsideFile, logFile, environment)
    : startSimulators(port, outsideFile);
}
