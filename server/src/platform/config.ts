import type { Variant } from '@krapao/contract/rules';
import { join, resolve } from 'node:path';
import type { z } from 'zod';
import { HTTP_LIMITS, type HttpLimits } from './http/limits.ts';
import type { SpanExport } from './http/tracing.ts';
import { type LOG_LEVELS, settings } from './settings.ts';
import { UserError } from './errors.ts';

/** The configuration from the environment, validated, with defaults. The only place that reads it. */
export type Config = {
  /** API processes that share the port. */
  apiProcesses: number;
  /** Folder of the sockets between API processes; set by the first process for the others. */
  apiSockets: string | undefined;
  /** Where systemd listens; undefined: the server does not run under it. */
  notifySocket: string | undefined;
  /** Period of systemd's watchdog; undefined: it watches nothing. */
  watchdogMs: number | undefined;
  /** Port of the API and the web app. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** Public address of the app, when it differs from the requested host; without a trailing slash. */
  publicUrl: string | undefined;
  /** The same of the simulated outside. */
  simulatorsUrl: string | undefined;
  simulatorsPort: number;
  /** False in production: no simulated outside. */
  simulators: boolean;
  /** Timeout of calls to the simulated outside; timeouts of real parties stand in the outside file. */
  outsideTimeoutMs: number;
  /** Absolute path. */
  dataDirectory: string;
  /** Absolute path of the folder that the embedded database archives its WAL to. */
  walArchive: string | undefined;
  /** An existing PostgreSQL, used instead of the embedded one. */
  databaseUrl: string | undefined;
  /** A standby of it for reads that may be seconds old. */
  databaseReadUrl: string | undefined;
  variant: Variant;
  /** File with addresses and credentials of everything outside. */
  outsideFile: string;
  /** File with the key for encryption at rest. */
  secretsFile: string;
  /** Absolute path of the built web app. */
  webDirectory: string;
  /** Port of /metrics for other machines; without one only this machine can read it, on the main port. */
  metricsPort: number | undefined;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string;
  /** Most connections to the database, of each API process. */
  databaseConnections: number;
  /** API calls that one address may make in a minute; flood protection, not a business limit. */
  requestsPerMinute: number;
  /** Drain time: after SIGTERM `/health/ready` answers 404 this long, while calls still succeed. */
  drainMs: number;
  /** Path of the log file; undefined: standard output. */
  logFile: string | undefined;
  /** Maximum size of the log file together with its rotated ones. */
  logMaxBytes: number;
  httpLimits: HttpLimits;
  /** Event loop delay past which calls are refused with Retry-After; 0: no limit. */
  eventLoopDelayMaxMs: number;
  /** Least deposit at the gateway FP in whole baht, instead of what the operator's table says. */
  fpMinimum: number | undefined;
  /** Whether games open in a new tab or in the same one. */
  gameTab: GameTab;
  /** Which variant of the providers' sites browsers open: a country or a host. */
  gameSite: string | undefined;
  /** What the app encrypts gift links with. Public, since anyone can read it in the app. */
  truelinkSecret: string;
  logLevel: LogLevel;
  /** Undefined: spans are not exported. */
  spans: SpanExport | undefined;
  objectStorage: ObjectStorageConfig;
};

export type { Variant };
export type GameTab = 'new' | 'same';
export type LogLevel = (typeof LOG_LEVELS)[number];
export type ObjectStorageConfig =
  | { kind: 'files'; directory: string }
  | {
      kind: 's3';
      bucket: string;
      region: string;
      endpoint: string | undefined;
      accessKeyId: string;
      secretAccessKey: string;
    };

/** Calls in flight at the end of a drain, and handlers whose caller is gone, have this long to end. */
export const DRAIN_TIMEOUT_MS = 8_000;

/** After that, open requests and then the database have this long to end; then the process exits regardless. */
export const STOP_TIMEOUT_MS = 15_000;

/** The first of several API processes keeps their database: it exits after them. */
const LATER_THAN_OTHERS_MS = 2_000;

/** The longest that a stop by SIGTERM takes, in ms, until the last process has exited. */
export const stopWithinMs = (drainMs: number): number =>
  drainMs + DRAIN_TIMEOUT_MS + LATER_THAN_OTHERS_MS + STOP_TIMEOUT_MS;

/** What a setting may declare beside its schema. */
type Declared = { schema: z.ZodType; must: string; secret?: true };
type Variables = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };

export type Environment = Readonly<Record<string, string | undefined>>;

/** Environment of this process. */
export const processEnvironment: Environment = process.env;

/** Reads the configuration. Throws one sentence for each variable with a wrong value. */
export function readConfig(environment: Environment = processEnvironment): Config {
  const found = readVariables(environment);
  assertPortsDiffer(found);
  const dataDirectory = resolve(found.DATA_DIR);
  return {
    apiProcesses: found.API_PROCESSES,
    apiSockets: found.API_SOCKETS,
    notifySocket: found.NOTIFY_SOCKET,
    watchdogMs: found.WATCHDOG_USEC === undefined ? undefined : found.WATCHDOG_USEC / 1_000,
    port: found.PORT,
    host: found.HOST,
    publicUrl: found.PUBLIC_URL,
    simulatorsUrl: found.SIMULATORS_URL,
    simulatorsPort: found.SIMULATORS_PORT,
    simulators: found.SIMULATORS === 'on',
    outsideTimeoutMs: found.OUTSIDE_TIMEOUT_MS,
    dataDirectory,
    walArchive: found.WAL_ARCHIVE && resolve(found.WAL_ARCHIVE),
    databaseUrl: found.DATABASE_URL,
    databaseReadUrl: found.DATABASE_READ_URL,
    variant: found.VARIANT,
    outsideFile: resolve(found.OUTSIDE_FILE ?? join(dataDirectory, 'outside.json')),
    secretsFile: resolve(found.SECRETS_FILE ?? join(dataDirectory, 'secrets.json')),
    webDirectory: resolve(found.WEB_DIR),
    metricsPort: found.METRICS_PORT,
    trustedProxies: found.TRUSTED_PROXIES,
    databaseConnections: found.DATABASE_CONNECTIONS,
    requestsPerMinute: found.REQUESTS_PER_MINUTE,
    drainMs: found.DRAIN_MS,
    logFile: found.LOG_TO === 'file' ? join(dataDirectory, 'logs', 'server.log') : undefined,
    logMaxBytes: found.LOG_MAX_MB * 1024 * 1024,
    httpLimits: {
      requestPatienceMs: found.REQUEST_PATIENCE_MS,
      uploadWindowMs: found.UPLOAD_WINDOW_MS,
      uploads: {
        member: { ...HTTP_LIMITS.uploads.member, slots: found.UPLOADS_OF_MEMBERS },
        visitor: { ...HTTP_LIMITS.uploads.visitor, slots: found.UPLOADS_OF_VISITORS },
      },
      connectionsMax: found.CONNECTIONS_MAX,
      connectionsPerAddress: found.CONNECTIONS_PER_ADDRESS,
    },
    eventLoopDelayMaxMs: found.EVENT_LOOP_DELAY_MAX_MS,
    fpMinimum: found.FP_MINIMUM,
    gameTab: found.GAME_TAB,
    gameSite: found.GAME_SITE,
    truelinkSecret: found.TRUELINK_SECRET,
    logLevel: found.LOG_LEVEL,
    spans: spansOf(found),
    objectStorage: objectStorageOf(found, dataDirectory),
  };
}

/**
 * Where files and database are, whatever else is wrong. The configuration has defaults for all other settings.
 * @returns `database` is undefined when the address of the database is wrong
 */
export function readPaths(environment: Environment = processEnvironment): {
  files: Config;
  database: Config | undefined;
} {
  const { DATA_DIR, SECRETS_FILE, OUTSIDE_FILE, WAL_ARCHIVE, DATABASE_URL } = environment;
  const places = { DATA_DIR, SECRETS_FILE, OUTSIDE_FILE, WAL_ARCHIVE };
  const files = readConfig(places);
  try {
    return { files, database: readConfig({ ...places, DATABASE_URL }) };
  } catch (error) {
    if (error instanceof UserError) return { files, database: undefined };
    throw error;
  }
}

function readVariables(environment: Environment): Variables {
  const wrong: string[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, { schema, must, secret }] of Object.entries<Declared>(settings)) {
    // `NAME= npm start` sets an empty value: the same as none.
    const value = environment[name]?.trim() || undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) found[name] = parsed.data;
    else wrong.push(`${name} must ${must}${secret ? '' : `, not "${value ?? ''}"`}.`);
  }
  if (wrong.length > 0) throw new UserError(wrong.join('\n'));
  return found as Variables;
}

/** Two listeners of this installation on one port: the second would find it taken only after the migration. */
function assertPortsDiffer({ PORT, METRICS_PORT, SIMULATORS_PORT, SIMULATORS }: Variables): void {
  const ports = [
    ['PORT', PORT],
    ...(SIMULATORS === 'on' ? ([['SIMULATORS_PORT', SIMULATORS_PORT]] as const) : []),
    ['METRICS_PORT', METRICS_PORT],
  ] as const;
  for (const [index, [name, port]] of ports.entries()) {
    // 0 is a free port.
    if (port === undefined || port === 0) continue;
    const same = ports.slice(index + 1).find((other) => other[1] === port);
    if (same) throw new UserError(`${name} and ${same[0]} must differ, but both are ${port}.`);
  }
}

function spansOf(found: Variables): SpanExport | undefined {
  const endpoint = found.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, serviceName: found.OTEL_SERVICE_NAME, share: found.OTEL_TRACES_SAMPLER_ARG };
}

function objectStorageOf(found: Variables, dataDirectory: string): ObjectStorageConfig {
  if (found.S3_BUCKET === undefined) return { kind: 'files', directory: join(dataDirectory, 'files') };
  const accessKeyId = found.S3_ACCESS_KEY_ID;
  const secretAccessKey = found.S3_SECRET_ACCESS_KEY;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new UserError('S3_BUCKET is set, so S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too.');
  }
  return {
    kind: 's3',
    bucket: found.S3_BUCKET,
    region: found.S3_REGION,
    endpoint: found.S3_ENDPOINT,
    accessKeyId,
    secretAccessKey,
  };
}
