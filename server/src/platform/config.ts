import type { Variant } from '@krapao/contract/rules';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { TRUELINK_SECRET_DEFAULT } from '@krapao/contract/constants';
import { z } from 'zod';
import { CannotStart } from './start/cannot-start.ts';
import { EVENT_LOOP_DELAY_MAX_MS, HTTP_LIMITS, type HttpLimits } from './http/limits/http-limits.ts';

/** The configuration from the environment, validated, with defaults. The only place that reads it. */
export type Config = {
  /** API processes that share the port. */
  apiProcesses: number;
  /** Folder of the sockets between API processes; set by the first process for the others. */
  apiSockets: string | undefined;
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
  /** An existing PostgreSQL, used instead of the embedded one. */
  databaseUrl: string | undefined;
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
  /** Drain time: after SIGTERM `/health/ready` answers 503 this long, while calls still succeed. */
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

/** After a drain, open requests and then the database have this long to end; then the process exits regardless. */
export const STOP_PATIENCE_MS = 15_000;

/** FP takes no more than this in one payment. */
const FP_MINIMUM_MOST = 50_000;
const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
const WEB_DIRECTORY = join(import.meta.dirname, '../../../web/dist');

const port = (fallback: number | undefined) =>
  z
    .string()
    .regex(/^\d{1,5}$/)
    .transform(Number)
    .refine((value) => value <= 65_535)
    .optional()
    .transform((value) => value ?? fallback);

const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .default(fallback);

/** The address of a whole site; a trailing slash, as in a copied address, is accepted. */
const site = z
  .url({ protocol: /^https?$/ })
  .refine((text) => /^https?:\/\/[^/?#@]+\/?$/.test(text))
  .transform((text) => new URL(text).origin)
  .optional();

const milliseconds = (most: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,6}$/)
    .transform(Number)
    .refine((ms) => ms <= most)
    .default(fallback);

const patience = (fallbackMs: number) =>
  z
    .string()
    .regex(/^\d{3,6}$/)
    .transform(Number)
    .refine((ms) => ms >= 100 && ms <= 300_000)
    .default(fallbackMs);

/** Two cores are shared by PostgreSQL and one API process; more of them leave work for several. */
const DEFAULT_API_PROCESSES = Math.max(1, Math.floor(availableParallelism() / 2));

/** Every variable: its validation, and the end of the sentence that reports a wrong value. */
const variables = {
  PORT: { schema: port(3000).transform((value) => value ?? 0), must: 'be a port number from 0 to 65535' },
  HOST: { schema: z.string().min(1).default('127.0.0.1'), must: 'be an address to listen on, for example 0.0.0.0' },
  PUBLIC_URL: { schema: site, must: 'be where browsers reach the app, for example https://play.example.com' },
  SIMULATORS_URL: {
    schema: site,
    must: 'be where browsers reach the simulated outside, for example https://phone.example.com',
  },
  SIMULATORS_PORT: { schema: port(3100).transform((value) => value ?? 0), must: 'be a port number from 0 to 65535' },
  OUTSIDE_TIMEOUT_MS: {
    schema: z
      .string()
      .regex(/^\d{3,5}$/)
      .transform(Number)
      .refine((value) => value <= 60_000)
      .default(10_000),
    must: 'be a number of milliseconds from 100 to 60000',
  },
  SIMULATORS: { schema: z.enum(['on', 'off']).default('on'), must: 'be on or off' },
  DATA_DIR: { schema: z.string().min(1).default('./data'), must: 'be the path of a folder' },
  DATABASE_URL: {
    schema: z
      .string()
      .regex(/^postgres(ql)?:\/\/\S+$/)
      .optional(),
    must: 'look like postgresql://user:password@host:5432/database',
  },
  VARIANT: { schema: z.enum(['th', 'lao']).default('th'), must: 'be th or lao' },
  OUTSIDE_FILE: { schema: z.string().min(1).optional(), must: 'be the path of a file' },
  SECRETS_FILE: { schema: z.string().min(1).optional(), must: 'be the path of a file' },
  WEB_DIR: { schema: z.string().min(1).default(WEB_DIRECTORY), must: 'be the path of the built web app' },
  METRICS_PORT: { schema: port(undefined), must: 'be a port number from 0 to 65535' },
  TRUSTED_PROXIES: {
    schema: z
      .string()
      .regex(/^[\w.:/, ]+$/)
      .default('loopback'),
    must: 'be a list of addresses or networks, for example loopback, 10.0.0.0/8',
  },
  DRAIN_MS: {
    schema: milliseconds(60_000, 2_000),
    must: 'be a number of milliseconds from 0 to 60000',
  },
  LOG_TO: { schema: z.enum(['file', 'stdout']).default('stdout'), must: 'be file or stdout' },
  LOG_MAX_MB: {
    schema: count(100).refine((megabytes) => megabytes <= 100_000),
    must: 'be a whole number of megabytes from 1 to 100000',
  },
  API_PROCESSES: {
    schema: count(DEFAULT_API_PROCESSES).refine((processes) => processes <= 64),
    must: 'be a whole number from 1 to 64',
  },
  API_SOCKETS: { schema: z.string().min(1).optional(), must: 'be the path of a folder' },
  DATABASE_CONNECTIONS: {
    schema: z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number)
      .refine((value) => value >= 4)
      .default(20),
    must: 'be a number from 4 to 999',
  },
  REQUESTS_PER_MINUTE: {
    schema: count(3000),
    must: 'be a whole number from 1',
  },
  EVENT_LOOP_DELAY_MAX_MS: {
    schema: milliseconds(999_999, EVENT_LOOP_DELAY_MAX_MS),
    must: 'be a number of milliseconds from 0 to 999999',
  },
  REQUEST_PATIENCE_MS: {
    schema: patience(HTTP_LIMITS.requestPatienceMs),
    must: 'be a number of milliseconds from 100 to 300000',
  },
  UPLOAD_WINDOW_MS: {
    schema: patience(HTTP_LIMITS.uploadWindowMs),
    must: 'be a number of milliseconds from 100 to 300000',
  },
  UPLOADS_OF_MEMBERS: { schema: count(HTTP_LIMITS.uploads.member.slots), must: 'be a whole number from 1' },
  UPLOADS_OF_VISITORS: { schema: count(HTTP_LIMITS.uploads.visitor.slots), must: 'be a whole number from 1' },
  CONNECTIONS_MAX: { schema: count(HTTP_LIMITS.connectionsMax), must: 'be a whole number from 1' },
  CONNECTIONS_PER_ADDRESS: { schema: count(HTTP_LIMITS.connectionsPerAddress), must: 'be a whole number from 1' },
  FP_MINIMUM: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,4}$/)
      .transform(Number)
      .refine((value) => value <= FP_MINIMUM_MOST)
      .optional(),
    must: `be a whole number of baht from 1 to ${FP_MINIMUM_MOST}`,
  },
  GAME_TAB: { schema: z.enum(['new', 'same']).default('new'), must: 'be new or same' },
  GAME_SITE: {
    schema: z
      .string()
      .regex(/^(?:[a-z]{2}|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|(?:[a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5})$/)
      // The numbers of a port or of an IP address may still be out of range.
      .refine((site) => URL.canParse(`http://${site}`))
      .optional(),
    must: 'be a country of two letters or a host, for example th or play.example.com',
  },
  TRUELINK_SECRET: {
    schema: z.string().min(1).default(TRUELINK_SECRET_DEFAULT),
    must: 'be the text that the app encrypts gift links with',
  },
  LOG_LEVEL: { schema: z.enum(LOG_LEVELS).default('info'), must: `be one of ${LOG_LEVELS.join(', ')}` },
  S3_BUCKET: { schema: z.string().min(1).optional(), must: 'be the name of a bucket' },
  S3_REGION: { schema: z.string().min(1).default('us-east-1'), must: 'be a region' },
  S3_ENDPOINT: { schema: z.url({ protocol: /^https?$/ }).optional(), must: 'be an http or https address' },
  S3_ACCESS_KEY_ID: { schema: z.string().min(1).optional(), must: 'be the id of an access key' },
  S3_SECRET_ACCESS_KEY: { schema: z.string().min(1).optional(), must: 'be the secret of the access key' },
} as const;

type Variables = { [Name in keyof typeof variables]: z.output<(typeof variables)[Name]['schema']> };
const SECRET = new Set<string>(['DATABASE_URL', 'S3_SECRET_ACCESS_KEY']);

/** Reads the configuration. Throws one sentence for each variable with a wrong value. */
export function readConfig(environment: Readonly<Record<string, string | undefined>> = process.env): Config {
  const found = readVariables(environment);
  if (found.SIMULATORS === 'on' && found.PORT !== 0 && found.PORT === found.SIMULATORS_PORT) {
    throw new CannotStart(`PORT and SIMULATORS_PORT must differ, but both are ${found.PORT}.`);
  }
  const dataDirectory = resolve(found.DATA_DIR);
  return {
    apiProcesses: found.API_PROCESSES,
    apiSockets: found.API_SOCKETS,
    port: found.PORT,
    host: found.HOST,
    publicUrl: found.PUBLIC_URL,
    simulatorsUrl: found.SIMULATORS_URL,
    simulatorsPort: found.SIMULATORS_PORT,
    simulators: found.SIMULATORS === 'on',
    outsideTimeoutMs: found.OUTSIDE_TIMEOUT_MS,
    dataDirectory,
    databaseUrl: found.DATABASE_URL,
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
    objectStorage: objectStorageOf(found, dataDirectory),
  };
}

function readVariables(environment: Readonly<Record<string, string | undefined>>): Variables {
  const wrong: string[] = [];
  const found: Record<string, unknown> = {};
  for (const [name, { schema, must }] of Object.entries(variables)) {
    // `NAME= npm start` sets an empty value: the same as none.
    const value = environment[name]?.trim() || undefined;
    const parsed = schema.safeParse(value);
    if (parsed.success) found[name] = parsed.data;
    else wrong.push(`${name} must ${must}${SECRET.has(name) ? '' : `, not "${value ?? ''}"`}.`);
  }
  if (wrong.length > 0) throw new CannotStart(wrong.join('\n'));
  return found as Variables;
}

function objectStorageOf(found: Variables, dataDirectory: string): ObjectStorageConfig {
  if (found.S3_BUCKET === undefined) return { kind: 'files', directory: join(dataDirectory, 'files') };
  const accessKeyId = found.S3_ACCESS_KEY_ID;
  const secretAccessKey = found.S3_SECRET_ACCESS_KEY;
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw new CannotStart('S3_BUCKET is set, so S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set too.');
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
