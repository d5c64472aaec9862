import { join, resolve } from 'node:path';
import type { Variant } from '@krapao/contract/rules';
import type { z } from 'zod';
import { UserError } from './errors.ts';
import { HTTP_LIMITS, type HttpLimits } from './http/limits.ts';
import type { SpanExport } from './http/tracing.ts';
import { type LOG_LEVELS, settings } from './settings.ts';

/** The configuration from the environment, validated, with defaults. The only place that reads it. */
export type Config = {
  /** API processes that share the port. */
  apiProcesses: number;
  /** Folder of the sockets between API processes. The first process sets it for the others. */
  apiSockets: string | undefined;
  /** Socket of systemd. Undefined: the server does not run under systemd. */
  notifySocket: string | undefined;
  /** Period of systemd's watchdog. Undefined: no watchdog. */
  watchdogMs: number | undefined;
  /** Port of the API and the web app. */
  port: number;
  /** Address to listen on. */
  host: string;
  /** Where commands reach the server; undefined: at `host` and `port`. */
  serverUrl: string | undefined;
  /** Public address of the app, when it differs from the requested host; without a trailing slash. */
  publicUrl: string | undefined;
  /** Public address of the simulated outside. */
  simulatorsUrl: string | undefined;
  simulatorsPort: number;
  /** Whether the simulated outside runs; false in production. */
  simulators: boolean;
  /** Timeout of calls to the simulated outside. The outside file sets the timeouts of real parties. */
  outsideTimeoutMs: number;
  /** Absolute path. */
  dataDirectory: string;
  /** Absolute path of the folder that the embedded database archives its WAL to. */
  walArchive: string | undefined;
  /** Absolute path of the folder of backups. */
  backupFolder: string | undefined;
  /** An existing PostgreSQL, used instead of the embedded one. */
  databaseUrl: string | undefined;
  /** A standby of the database, for reads that may be seconds old. */
  databaseReadUrl: string | undefined;
  variant: Variant;
  /** Path of the outside file: addresses and credentials of every counterparty. */
  outsideFile: string;
  /** Path of the secrets file: the keys for encryption at rest. */
  secretsFile: string;
  /** Absolute path of the built web app. */
  webDirectory: string;
  /** Port of /metrics for other machines. Undefined: only this machine can read /metrics, on the main port. */
  metricsPort: number | undefined;
  /** Addresses of proxies whose X-Forwarded-For is trusted. */
  trustedProxies: string;
  /** Maximum database connections of each API process. */
  databaseConnections: number;
  /** Maximum API calls of one address per minute. Protects from floods; not a business limit. */
  requestsPerMinute: number;
  /** Drain time after SIGTERM: `/health/ready` replies 404, while calls still succeed. */
  drainMs: number;
  /** Path of the log file; undefined: standard output. */
  logFile: string | undefined;
  /** Maximum total size of the log file and its rotated files. */
  logMaxBytes: number;
  httpLimits: HttpLimits;
  /** Maximum event loop delay. Above it calls are refused with Retry-After; 0: no limit. */
  eventLoopDelayMaxMs: number;
  /** Minimum deposit at the gateway FP in whole baht; overrides the operator's table. */
  fpMinimum: number | undefined;
  /** Whether games open in a new tab or in the same one. */
  gameTab: GameTab;
  /** Variant of the providers' sites that browsers open: a country or a host. */
  gameSite: string | undefined;
  /** Secret with which the app encrypts gift links. Anyone can read it in the app. */
  truelinkSecret: string;
  logLevel: LogLevel;
  /** Export of spans. Undefined: spans are not exported. */
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

/** Time for calls in flight to end after a drain, also for handlers whose caller has disconnected. */
export const DRAIN_TIMEOUT_MS = 8_000;

/** Time for open requests and then the database to end, after the drain timeout. Then the process exits regardless. */
export const STOP_TIMEOUT_MS = 15_000;

/** The first of several API processes owns their database, so it exits this much later than the others. */
const STOP_MARGIN_MS = 2_000;

/** Maximum duration of a stop by SIGTERM, in ms, until the last process has exited. */
export const stopWithinMs = (drainMs: number): number => drainMs + DRAIN_TIMEOUT_MS + STOP_MARGIN_MS + STOP_TIMEOUT_MS;

/** Fields of a setting that `readVariables` uses. */
type SettingDefinition = { schema: z.ZodType; must: string; secret?: true };
type SettingValues = { [Name in keyof typeof settings]: z.output<(typeof settings)[Name]['schema']> };

export type Environment = Readonly<Record<string, string | undefined>>;

export const processEnvironment: Environment = process.env;

/** Reads the configuration. Throws one sentence for each variable with an invalid value. */
export function readConfig(environment: Environment = processEnvironment): Config {
  const values = readVariables(environment);
  assertPortsDiffer(values);
  const dataDirectory = resolve(values.DATA_DIR);
  return {
    apiProcesses: values.API_PROCESSES,
    apiSockets: values.API_SOCKETS,
    notifySocket: values.NOTIFY_SOCKET,
    watchdogMs: values.WATCHDOG_USEC === undefined ? undefined : values.WATCHDOG_USEC / 1_000,
    port: values.PORT,
    host: values.HOST,
    serverUrl: values.SERVER_URL,
    publicUrl: values.PUBLIC_URL,
    simulatorsUrl: values.SIMULATORS_URL,
    simulatorsPort: values.SIMULATORS_PORT,
    simulators: values.SIMULATORS === 'on',
    outsideTimeoutMs: values.OUTSIDE_TIMEOUT_MS,
    dataDirectory,
    walArchive: values.WAL_ARCHIVE && resolve(values.WAL_ARCHIVE),
    backupFolder: values.BACKUP_FOLDER && resolve(values.BACKUP_FOLDER),
    databaseUrl: values.DATABASE_URL,
    databaseReadUrl: values.DATABASE_READ_URL,
    variant: values.VARIANT,
    outsideFile: resolve(values.OUTSIDE_FILE ?? join(dataDirectory, 'outside.json')),
    secretsFile: resolve(values.SECRETS_FILE ?? join(dataDirectory, 'secrets.json')),
    webDirectory: resolve(values.WEB_DIR),
    metricsPort: values.METRICS_PORT,
    trustedProxies: values.TRUSTED_PROXIES,
    databaseConnections: values.DATABASE_CONNECTIONS,
    requestsPerMinute: values.REQUESTS_PER_MINUTE,
    drainMs: values.DRAIN_MS,
    logFile: values.LOG_TO === 'file' ? join(dataDirectory, 'logs', 'server.log') : undefined,
    logMaxBytes: values.LOG_MAX_MB * 1024 * 1024,
    httpLimits: {
      requestTimeoutMs: values.REQUEST_PATIENCE_MS,
      uploadWindowMs: values.UPLOAD_WINDOW_MS,
      uploads: {
        member: { ...HTTP_LIMITS.uploads.member, slots: values.UPLOADS_OF_MEMBERS },
        visitor: { ...HTTP_LIMITS.uploads.visitor, slots: values.UPLOADS_OF_VISITORS },
      },
      connectionsMax: values.CONNECTIONS_MAX,
      connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
    },
    eventLoopDelayMaxMs: values.EVENT_LOOP_DELAY_MAX_MS,
    fpMinimum: values.FP_MINIMUM,
    gameTab: values.GAME_TAB,
    gameSite: values.GAME_SITE,
    truelinkSecret: values.TRUELINK_SECRET,
    logLevel: values.LOG_LEVEL,
    spans: readSpanExport(values),
    objectStorage: readObjectStorage(values, dataDirectory),
  };
}

/**
 * Paths of files and of the database, read even when other settings are invalid. All other settings get their defaults.
 * @returns `database` is undefined when the address of the database is invalid
 */
export function readPaths(environment: Environment = processEnvironment): {
  files: Config;
  database: Config | undefined;
} {
  const { DATA_DIR, SECRETS_FILE, OUTSIDE_FILE, WAL_ARCHIVE, BACKUP_FOLDER, DATABASE_URL } = environment;
  const pathVariables = { DATA_DIR, SECRETS_FILE, OUTSIDE_FILE, WAL_ARCHIVE, BACKUP_FOLDER };
  const fileConfig = readConfig(pathVariables);
  try {
    return { files: fileConfig, database: readConfig({ ...pathVariables, DATABASE_URL }) };
  } catch (error) {
    if (error instanceof UserError) return { files: fileConfig, database: undefined };
    throw error;
  }
}

function readVariables(environment: Environment): SettingValues {
  const invalidSettings: string[] = [];
  const values: Record<string, unknown> = {};
  for (const [name, { schema, must, secret }] of Object.entries<SettingDefinition>(settings)) {
    // `NAME= npm start` sets an empty value, which counts as unset.
    const value = environment[name]?.trim() || undefined;
    const result = schema.safeParse(value);
    if (result.success) values[name] = result.data;
    else invalidSettings.push(`${name} must ${must}${secret ? '' : `, not "${value ?? ''}"`}.`);
  }
  if (invalidSettings.length > 0) throw new UserError(invalidSettings.join('\n'));
  return values as SettingValues;
}

/** Two listeners on one port would fail only after the migration. */
function assertPortsDiffer({ PORT, METRICS_PORT, SIMULATORS_PORT, SIMULATORS }: SettingValues): void {
  const ports = [
    ['PORT', PORT],
    ...(SIMULATORS === 'on' ? ([['SIMULATORS_PORT', SIMULATORS_PORT]] as const) : []),
    ['METRICS_PORT', METRICS_PORT],
  ] as const;
  for (const [index, [name, port]] of ports.entries()) {
    // Port 0 selects any free port.
    if (port === undefined || port === 0) continue;
    const samePort = ports.slice(index + 1).find((candidate) => candidate[1] === port);
    if (samePort) throw new UserError(`${name} and ${samePort[0]} must differ, but both are ${port}.`);
  }
}

function readSpanExport(values: SettingValues): SpanExport | undefined {
  const endpoint = values.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return undefined;
  return { endpoint, serviceName: values.OTEL_SERVICE_NAME, share: values.OTEL_TRACES_SAMPLER_ARG };
}

function readObjectStorage(values: SettingValues, dataDirectory: string): ObjectStorageConfig {
  if (values.S3_BUCKET === undefined) return { kind: 'files', directory: join(dataDirectory, 'files') };
  const accessKeyId = values.S3_ACCESS_KEY_ID;
  const secretAccessKey = values.S3_SECRET_ACCESS_KEY;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new UserError('S3_BUCKET is set, so S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too.');
  }
  return {
    kind: 's3',
    bucket: values.S3_BUCKET,
    region: values.S3_REGION,
    endpoint: values.S3_ENDPOINT,
    accessKeyId,
    secretAccessKey,
  };
}
