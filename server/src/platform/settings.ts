import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { TRUELINK_SECRET_DEFAULT } from '@krapao/contract/constants';
import { z } from 'zod';
import { count, isDatabaseUrl, milliseconds, PERCENT_ENCODED, patience, port, site, text } from './env-schemas.ts';
import type { EnvironmentSetting } from './environment-setting.ts';
import { parseNetworks } from './http/caller-address.ts';
import { EVENT_LOOP_DELAY_MAX_MS, HTTP_LIMITS } from './http/limits.ts';

/** Maximum of one payment at FP, in baht. */
const FP_MINIMUM_MAX = 50_000;
export const LOG_LEVELS = ['silent', 'error', 'warn', 'info', 'debug'] as const;
const WEB_DIRECTORY = join(import.meta.dirname, '../../../web/dist');

/** PostgreSQL and one API process share two cores; more cores allow several API processes. */
const DEFAULT_API_PROCESSES = Math.max(1, Math.floor(availableParallelism() / 2));

const PORT_RANGE = 'be a port number from 0 to 65535';
const PATIENCE_RANGE = 'be a number of milliseconds from 100 to 300000';
const COUNT_RANGE = 'be a whole number from 1';

/** All environment variables, in the order of the table. Only config.ts reads the environment. */
export const settings = {
  PORT: {
    schema: port(3000).transform((value) => value ?? 0),
    must: PORT_RANGE,
    what: 'Port of the API and the web app; 0: a free one',
    readBy: ['server', 'start', 'commands'],
  },
  HOST: {
    schema: z.string().min(1).default('127.0.0.1'),
    must: 'be an address to listen on, for example 0.0.0.0',
    what: 'Address to listen on; 0.0.0.0 for every network of this machine, also for the simulators',
    readBy: ['server', 'start', 'commands', 'simulators'],
  },
  SERVER_URL: {
    schema: site,
    must: 'be where commands reach the server, for example https://play.example.com',
    what: 'Address at which `krapao doctor` asks the server whether it is ready',
    readBy: ['commands'],
    secret: true,
    defaultText: 'HOST and PORT',
  },
  PUBLIC_URL: {
    schema: site,
    must: 'be where browsers reach the app, for example https://play.example.com',
    what: 'Address at which browsers reach the app; it replaces publicUrl of the outside file',
    readBy: ['server', 'start', 'commands'],
    secret: true,
    defaultText: 'the host of each call (simulated outside), or publicUrl of the outside file',
  },
  TRUSTED_PROXIES: {
    schema: z
      .string()
      .refine((list) => parseNetworks(list) !== undefined)
      .default('loopback'),
    must: 'be a list of addresses or networks, for example loopback, 10.0.0.0/8',
    what: 'Proxies whose X-Forwarded-For, -Host and -Proto are believed: addresses, networks, `loopback`, `uniquelocal`',
    readBy: ['server'],
  },
  METRICS_PORT: {
    schema: port(undefined),
    must: PORT_RANGE,
    what: 'Separate port of /metrics and /status at HOST, for monitoring on other machines; keep it off the internet',
    readBy: ['server', 'commands'],
    defaultText: 'none: on PORT, for this machine alone',
  },
  API_PROCESSES: {
    schema: count(DEFAULT_API_PROCESSES).refine((processes) => processes <= 64),
    must: 'be a whole number from 1 to 64',
    what: 'API processes that serve PORT together',
    readBy: ['server', 'commands'],
    unit: 'processes',
    defaultText: 'half the cores, at least 1',
  },
  API_SOCKETS: {
    schema: text,
    must: 'be the path of a folder',
    what: 'Folder of the sockets between API processes; set by the first process for the others, never by hand',
    readBy: ['server'],
    defaultText: 'set by the server',
  },
  NOTIFY_SOCKET: {
    schema: text,
    must: 'be the address of a socket',
    what: 'Socket by which the server notifies systemd that it is ready, alive or stopping; set by systemd, never by hand',
    readBy: ['server'],
    defaultText: 'set by systemd',
  },
  WATCHDOG_USEC: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,11}$/)
      .transform(Number)
      .optional(),
    must: 'be a whole number of microseconds from 1',
    what: "Period within which systemd's watchdog must be notified that every API process is alive (`WatchdogSec`); set by systemd, never by hand",
    readBy: ['server'],
    unit: 'µs',
    defaultText: 'set by systemd',
  },
  DATA_DIR: {
    schema: z.string().min(1).default('./data'),
    must: 'be the path of a folder',
    what: 'Folder of the embedded database, secrets, outside file, log and files of members',
    readBy: ['server', 'start', 'commands', 'simulators'],
  },
  DATABASE_URL: {
    schema: z
      .string()
      .refine(isDatabaseUrl)
      .refine((url) => !/^\w+:\/\/(?:[^/]*@)?[^/@]*,/.test(url))
      .optional(),
    must: `look like postgresql://user:password@host:5432/database, with one host and ${PERCENT_ENCODED}`,
    what: 'A PostgreSQL 15 or later to use instead of the embedded one; with standbys, the address that leads to the primary',
    readBy: ['server', 'commands'],
    secret: true,
    defaultText: 'embedded, in DATA_DIR',
  },
  WAL_ARCHIVE: {
    schema: text,
    must: 'be the path of a folder',
    what: 'Folder of archived WAL, for a restore to a point in time (docs/deploy/backup.md): the embedded database archives to it; with DATABASE_URL, where this machine sees the archive of that server',
    readBy: ['server', 'commands'],
    defaultText: 'none: a backup restores to its own moment',
  },
  BACKUP_FOLDER: {
    schema: text,
    must: 'be the path of a folder',
    what: 'Folder of the backups of this machine: where `krapao backup` writes without a FOLDER, and whose age and free space are watched',
    readBy: ['server', 'commands'],
    defaultText: 'none: backups are not watched',
  },
  DATABASE_CONNECTIONS: {
    schema: z
      .string()
      .regex(/^\d{1,3}$/)
      .transform(Number)
      .refine((value) => value >= 4)
      .default(20),
    must: 'be a number from 4 to 999',
    what: 'Most pooled connections of each API process; four more hold the ledger, the write probe, the watch and the schema version',
    readBy: ['server', 'commands'],
    unit: 'connections',
  },
  DATABASE_READ_URL: {
    schema: z.string().refine(isDatabaseUrl).optional(),
    must: `look like postgresql://user:password@host:5432/database, with ${PERCENT_ENCODED}`,
    what: 'A standby of that PostgreSQL for reads that may be seconds old (statement pages); its role needs pg_monitor',
    readBy: ['server'],
    secret: true,
    defaultText: 'none: the primary serves all reads',
  },
  SECRETS_FILE: {
    schema: text,
    must: 'be the path of a file',
    what: 'File with the key of encryption at rest; the same on every node of a database',
    readBy: ['server', 'start', 'commands'],
    defaultText: '`secrets.json` in DATA_DIR',
  },
  OUTSIDE_FILE: {
    schema: text,
    must: 'be the path of a file',
    what: 'File with addresses and credentials of every party outside (docs/outside.md)',
    readBy: ['server', 'start', 'commands', 'simulators'],
    defaultText: '`outside.json` in DATA_DIR',
  },
  OUTSIDE_TIMEOUT_MS: {
    schema: z
      .string()
      .regex(/^\d{3,5}$/)
      .transform(Number)
      .refine((value) => value <= 60_000)
      .default(10_000),
    must: 'be a number of milliseconds from 100 to 60000',
    what: 'Timeout of calls to the simulated outside; those of real parties are in the outside file',
    readBy: ['start'],
    unit: 'ms',
  },
  SIMULATORS: {
    schema: z.enum(['on', 'off']).default('on'),
    must: 'be on or off',
    what: '`off` in production: no simulated outside, and OUTSIDE_FILE describes the real one',
    readBy: ['server', 'start', 'commands'],
  },
  SIMULATORS_PORT: {
    schema: port(3100).transform((value) => value ?? 0),
    must: PORT_RANGE,
    what: "Port of the simulated outside and the member's phone; 0: a free one",
    readBy: ['server', 'start', 'commands', 'simulators'],
  },
  SIMULATORS_URL: {
    schema: site,
    must: 'be where browsers reach the simulated outside, for example https://phone.example.com',
    what: 'Address at which browsers reach the simulated outside',
    readBy: ['server', 'start', 'commands'],
    secret: true,
    defaultText: 'the host of each call',
  },
  VARIANT: {
    schema: z.enum(['th', 'lao']).default('th'),
    must: 'be th or lao',
    what: 'Brand: `th`, or `lao` with Lao first, LAK or BAHT and no fixed phone length',
    readBy: ['server', 'start'],
  },
  FP_MINIMUM: {
    schema: z
      .string()
      .regex(/^[1-9]\d{0,4}$/)
      .transform(Number)
      .refine((value) => value <= FP_MINIMUM_MAX)
      .optional(),
    must: `be a whole number of baht from 1 to ${FP_MINIMUM_MAX}`,
    what: "Least deposit at the gateway FP, instead of the operator's table",
    readBy: ['server'],
    unit: 'baht',
    defaultText: "the operator's table: 10",
  },
  GAME_TAB: {
    schema: z.enum(['new', 'same']).default('new'),
    must: 'be new or same',
    what: 'Tab in which a game opens',
    readBy: ['server'],
  },
  GAME_SITE: {
    schema: z
      .string()
      .regex(/^(?:[a-z]{2}|localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+|(?:[a-z0-9.-]+|\[[0-9a-f:]+\]):\d{1,5})$/)
      // The numbers of a port or of an IP address may still be out of range.
      .refine((host) => URL.canParse(`http://${host}`))
      .optional(),
    must: 'be a country of two letters or a host, for example th or play.example.com',
    what: "Variant of the providers' sites that browsers open: a country or a host",
    readBy: ['server'],
  },
  TRUELINK_SECRET: {
    schema: z.string().min(1).default(TRUELINK_SECRET_DEFAULT),
    must: 'be the text that the app encrypts gift links with',
    what: 'Text that the app encrypts gift links with; public by design',
    readBy: ['server'],
  },
  S3_BUCKET: {
    schema: text,
    must: 'be the name of a bucket',
    what: 'Bucket for slips and chat files; needed when several nodes share a database',
    readBy: ['server', 'commands'],
    defaultText: 'none: `files` in DATA_DIR',
  },
  S3_REGION: {
    schema: z.string().min(1).default('us-east-1'),
    must: 'be a region',
    what: 'Region of the bucket',
    readBy: ['server'],
  },
  S3_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    must: 'be an http or https address',
    what: 'Address of the S3 service',
    readBy: ['server'],
    secret: true,
    defaultText: 'that of Amazon in the region',
  },
  S3_ACCESS_KEY_ID: {
    schema: text,
    must: 'be the id of an access key',
    what: 'Access key of the bucket; required with S3_BUCKET',
    readBy: ['server', 'commands'],
  },
  S3_SECRET_ACCESS_KEY: {
    schema: text,
    must: 'be the secret of the access key',
    what: 'Secret of the access key; required with S3_BUCKET',
    readBy: ['server', 'commands'],
    secret: true,
  },
  DRAIN_MS: {
    schema: milliseconds(60_000, 2_000),
    must: 'be a number of milliseconds from 0 to 60000',
    what: 'How long /health/ready answers 404 after SIGTERM while calls still succeed',
    readBy: ['server', 'start'],
    unit: 'ms',
  },
  REQUESTS_PER_MINUTE: {
    schema: count(3000),
    must: COUNT_RANGE,
    what: 'Calls of one member, or of one address without a session, in a minute before REQUEST_LIMIT, per API process',
    readBy: ['server'],
    unit: 'calls/min',
  },
  CONNECTIONS_MAX: {
    schema: count(HTTP_LIMITS.connectionsMax),
    must: COUNT_RANGE,
    what: 'Concurrent connections of the node',
    readBy: ['server'],
    unit: 'connections',
  },
  CONNECTIONS_PER_ADDRESS: {
    schema: count(HTTP_LIMITS.connectionsPerAddress),
    must: COUNT_RANGE,
    what: 'Concurrent connections of one IPv4 address or IPv6 /64; trusted proxies excepted',
    readBy: ['server'],
    unit: 'connections',
  },
  EVENT_LOOP_DELAY_MAX_MS: {
    schema: milliseconds(999_999, EVENT_LOOP_DELAY_MAX_MS),
    must: 'be a number of milliseconds from 0 to 999999',
    what: 'Event loop delay past which calls get 503 REQUEST_LIMIT BUSY; 0: no limit',
    readBy: ['server'],
    unit: 'ms',
  },
  REQUEST_PATIENCE_MS: {
    schema: patience(HTTP_LIMITS.requestTimeoutMs),
    must: PATIENCE_RANGE,
    what: 'Timeout of the head of a request, and again of its body',
    readBy: ['server'],
    unit: 'ms',
  },
  UPLOAD_WINDOW_MS: {
    schema: patience(HTTP_LIMITS.uploadWindowMs),
    must: PATIENCE_RANGE,
    what: 'Window in which an upload must bring 16 kB',
    readBy: ['server'],
    unit: 'ms',
  },
  UPLOADS_OF_MEMBERS: {
    schema: count(HTTP_LIMITS.uploads.member.slots),
    must: COUNT_RANGE,
    what: 'Concurrent uploads of members in this node',
    readBy: ['server'],
    unit: 'uploads',
  },
  UPLOADS_OF_VISITORS: {
    schema: count(HTTP_LIMITS.uploads.visitor.slots),
    must: COUNT_RANGE,
    what: 'Concurrent uploads of visitors in this node',
    readBy: ['server'],
    unit: 'uploads',
  },
  LOG_TO: {
    schema: z.enum(['file', 'stdout']).default('stdout'),
    must: 'be file or stdout',
    what: '`file`: `logs/server.log` in DATA_DIR, rotated; `stdout`: standard output',
    readBy: ['server', 'start'],
    defaultText: '`file` by `npm start`, else `stdout`',
  },
  LOG_MAX_MB: {
    schema: count(100).refine((megabytes) => megabytes <= 100_000),
    must: 'be a whole number of megabytes from 1 to 100000',
    what: 'Size of the log file together with its rotated ones',
    readBy: ['server'],
    unit: 'MB',
  },
  LOG_LEVEL: {
    schema: z.enum(LOG_LEVELS).default('info'),
    must: `be one of ${LOG_LEVELS.join(', ')}`,
    what: 'Least severe level that is logged; info has a line per call',
    readBy: ['server'],
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    must: 'be an http or https address',
    what: 'OpenTelemetry collector (OTLP over HTTP) for the spans of requests and of the calls that they cause',
    readBy: ['server'],
    secret: true,
    defaultText: 'none: no spans',
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    schema: text,
    must: 'be headers as key=value, separated by commas',
    what: 'Headers for the collector, for example of its authorization; a secret',
    readBy: ['server'],
    secret: true,
  },
  OTEL_SERVICE_NAME: {
    schema: z.string().min(1).default('krapao'),
    must: 'be a name',
    what: 'Name of the service in its spans',
    readBy: ['server'],
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z
      .string()
      .regex(/^\d(?:\.\d+)?$/)
      .transform(Number)
      .refine((share) => share <= 1)
      .default(1),
    must: 'be a share from 0 to 1',
    what: 'Share of the traces that begin here whose spans are exported; a trace of the caller as the caller says',
    readBy: ['server'],
  },
  WEB_DIR: {
    schema: z.string().min(1).default(WEB_DIRECTORY),
    must: 'be the path of the built web app',
    what: 'Folder of the built web app',
    readBy: ['server'],
    defaultText: '`web/dist` of this repository',
  },
} as const satisfies Record<string, EnvironmentSetting>;
