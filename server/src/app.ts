import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { APP_VERSION } from '@krapao/contract/constants';
import { endpoints } from '@krapao/contract/endpoints';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Server } from 'socket.io';
import { chosenSite } from './adapters/game/index.ts';
import { composeModules, type Platform } from './compose.ts';
import { queues } from './inventory.ts';
import { measureLedger } from './ledger/index.ts';
import { partyByUrl, type Outside } from './outside-config.ts';
import { DRAIN_TIMEOUT_MS, type GameTab, type ObjectStorageConfig, type Variant } from './platform/config.ts';
import { createSecretBox } from './platform/crypto/secret-box.ts';
import { createSessionTokens, type SessionTokens } from './platform/crypto/session-tokens.ts';
import type { Database } from './platform/database/database.ts';
import { measureStorage } from './platform/database/storage-metrics.ts';
import { openWriteProbe, type WriteProbe } from './platform/database/write-probe.ts';
import { serveHealth } from './platform/http/health.ts';
import { HTTP_LIMITS } from './platform/http/limits.ts';
import { createMetrics, measureNode, measureRequests, serveMetrics, measureOutbound } from './platform/http/metrics.ts';
import { openApiDocument } from './platform/http/openapi.ts';
import { createRateLimits } from './platform/http/rate-limit.ts';
import { rewriteToRequestedHost } from './platform/http/requested-host.ts';
import { createHttpServer, type HttpServerOptions } from './platform/http/server.ts';
import { serveWebApp } from './platform/http/web-app/web-app.ts';
import { startPeriodicJob } from './platform/jobs/job.ts';
import { measureQueues } from './platform/jobs/queues.ts';
import { forwardSessions } from './platform/processes/session-forwarding.ts';
import { attachSockets } from './platform/socket/socket.ts';
import { announceStorageFolder } from './platform/storage/file-storage.ts';
import { openStorage } from './platform/storage/index.ts';
import type { Clock } from './platform/time.ts';

export type AppOptions = HttpServerOptions & {
  database: Database;
  databaseUrl: string;
  /** A standby for reads that may be seconds old (DATABASE_READ_URL), and its maximum of connections. */
  standby?: Platform['standby'];
  clock: Clock;
  outside: Outside;
  /** 32 bytes: encryption at rest. */
  encryptionKey: Buffer;
  /** Keys that open and do not seal, during a rotation. */
  otherEncryptionKeys?: readonly Buffer[];
  variant: Variant;
  objectStorage: ObjectStorageConfig;
  webDirectory: string;
  /** Minimum deposit at the gateway FP in whole baht; overrides the operator's table. */
  fpMinimum?: number | undefined;
  /** Whether games open in a new tab (default) or in the same one. */
  gameTab?: GameTab;
  /** Variant of the providers' sites that browsers open: a country or a host. */
  gameSite?: string | undefined;
  /** Secret with which the app encrypts gift links; public by design. */
  truelinkSecret: string;
  /** Signs push messages. Undefined: none are sent. */
  pushKey?: KeyObject | undefined;
  /** Folder of the sockets between the API processes on one port. Undefined: there is only this process. */
  apiSockets?: string | undefined;
  /** A separate port for /metrics. Undefined: the main port serves it, for this machine alone. */
  metricsPort: number | undefined;
  /** Folders whose free disk is measured, by the value of the metric's label. */
  measuredFolders?: Readonly<Record<string, string | undefined>>;
};

export type App = {
  http: FastifyInstance;
  /** Opens the port and returns the address. */
  listen(address: { port: number; host: string }): Promise<string>;
  /** Waits for open requests, then stops all background jobs. The database stays open, because the caller owns it. */
  close(): Promise<void>;
};

const SWEEP_EVERY_MS = 10 * 60_000;
/** Share of the connections of one address that may be sockets without a room. */
const UNJOINED_SHARE = 0.5;

/** Sockets without a room of one address. */
const unjoinedMax = ({ httpLimits = HTTP_LIMITS }: AppOptions): number =>
  Math.ceil(httpLimits.connectionsPerAddress * UNJOINED_SHARE);

function recognizeTokens(http: FastifyInstance, { encryptionKey, otherEncryptionKeys }: AppOptions): SessionTokens {
  const tokens = createSessionTokens(encryptionKey, otherEncryptionKeys);
  http.isIssuedToken = (token) => tokens.isIssued(token);
  return tokens;
}

function serveOpenApi(http: FastifyInstance): void {
  const document = openApiDocument(Object.values(endpoints), APP_VERSION);
  http.get('/openapi.json', async () => document);
}

/** Composes the system: the platform first, then every module. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { database, clock, outside } = options;
  const http = await createHttpServer(options);
  http.addressRewriterFor = rewriteToRequestedHost(outside);
  const metrics = createMetrics();
  measureRequests(http, metrics);
  await serveWebApp(http, {
    directory: options.webDirectory,
    // A build contains the pages of both variants; their other files are the same.
    pagesDirectory: options.variant === 'lao' ? join(options.webDirectory, 'lao') : options.webDirectory,
    variant: options.variant,
    formTargets: Object.values(outside.games).map((config) => new URL(chosenSite(config, options.gameSite)).origin),
    socketTargets: outside.chatBackend ? [new URL(outside.chatBackend.socketUrl).origin] : [],
  });
  const probe = openWriteProbe(options.databaseUrl);
  serveHealth(http, probe);
  serveOpenApi(http);
  const limits = createRateLimits(database, clock);
  const storage = openStorage(options.objectStorage, clock);
  const sockets = attachSockets(http, { publicUrl: outside.publicUrl, unjoinedMax: unjoinedMax(options) });
  const stopMeasuring = startMeasuring(metrics, options, { probe, http, sockets });
  const stopModules = await composeModules({
    http,
    sockets,
    database,
    databaseUrl: options.databaseUrl,
    standby: options.standby ?? { url: undefined, size: 0 },
    clock,
    limits,
    tokens: recognizeTokens(http, options),
    secretBox: createSecretBox(options.encryptionKey, options.otherEncryptionKeys),
    outside,
    storage,
    variant: options.variant,
    fpMinimum: options.fpMinimum,
    metrics,
    gameTab: options.gameTab ?? 'new',
    gameSite: options.gameSite,
    truelinkSecret: options.truelinkSecret,
    pushKey: options.pushKey,
  });
  const stopForwarding =
    options.apiSockets === undefined ? undefined : forwardSessions(http.server, options.apiSockets);
  const sweeper = startPeriodicJob({
    name: 'sweep rate limits',
    everyMs: SWEEP_EVERY_MS,
    run: () => limits.sweep(),
    log: http.log,
  });
  const folderAnnouncement = announceStorageFolder(database, storage, http.log);
  const metricsServer = options.metricsPort === undefined ? undefined : await createHttpServer(options);
  serveMetrics(metricsServer ?? http, metrics, { loopbackOnly: !metricsServer, version: APP_VERSION, clock });
  return {
    http,
    async listen(address) {
      await metricsServer?.listen({ port: options.metricsPort ?? 0, host: address.host });
      return http.listen(address);
    },
    async close() {
      http.draining = true;
      await http.close();
      await http.calls.ended(DRAIN_TIMEOUT_MS);
      stopForwarding?.();
      await metricsServer?.close();
      await Promise.all([sweeper.stop(), folderAnnouncement.stop()]);
      await stopModules();
      stopMeasuring();
      probe.close();
    },
  };
}

/** @returns a function that stops the process-wide measurements */
function startMeasuring(
  metrics: Registry,
  { database, outside, clock, measuredFolders = {} }: AppOptions,
  { probe, http, sockets }: { probe: WriteProbe; http: FastifyInstance; sockets: Server },
): () => void {
  measureNode(metrics, {
    isReady: () =>
      probe.check().then(
        () => !http.draining,
        () => false,
      ),
    sockets: () => sockets.engine.clientsCount,
  });
  measureQueues(metrics, database, queues);
  measureStorage(metrics, database, measuredFolders);
  const stops = [measureOutbound(metrics, partyByUrl(outside), clock), measureLedger(metrics, database)];
  return () => stops.forEach((stop) => stop());
}
