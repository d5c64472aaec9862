import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { HttpClient } from './http-client.ts';

// Line numbers in postmaster.pid: process id and socket folder.
const PID_LINE = 0;
const SOCKET_LINE = 4;
const READY_MESSAGE = /Krapao is ready: (\S+) \(app\) · (\S+) /;
const READY_TIMEOUT_MS = 240_000;
const STOP_TIMEOUT_MS = 40_000;
/** The server reads the operator's tables every second. */
const OPERATOR_DATA_MS = 1_500;
const UNLIMITED_COUNT = 1_000_000_000;

/** A system of one work tree, started like `npm start` with its own ports and data folder. */
export type System = {
  name: string;
  /** Clients of the API and of the simulators. */
  api: HttpClient;
  outside: HttpClient;
  /** Operator connection to the database. */
  operator: pg.Client;
  /** PostgreSQL process of {@link operator}. */
  operatorPid: number;
  databaseLog: string;
  pids: { api: number; simulators: number; postgres: number };
  /** Closes the connections. */
  close(): Promise<void>;
};

export type SystemOptions = {
  name: string;
  /** The work tree. */
  root: string;
  /** Data folder; must not exist. */
  data: string;
  /** Priority of the simulators, with all their threads. */
  nice: number;
  /** By default the system decides. */
  apiProcesses: number | undefined;
  /** Receives the stop function before the system is ready, for interrupted runs. */
  onLaunched: (stop: () => Promise<void>) => void;
};

export async function startSystem(options: SystemOptions): Promise<System> {
  const { name, root, data, nice, onLaunched } = options;
  const launcher = spawn(process.execPath, [join(root, 'tools/start.mjs')], {
    cwd: root,
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onLaunched(() => stopProcess(launcher));
  const { url, outsideUrl } = await waitUntilReady(launcher);
  const pidFileLines = readFileSync(join(data, 'postgres/postmaster.pid'), 'utf8').split('\n');
  const { simulators, server } = childrenOf(data);
  setNice(simulators, nice);
  const operator = new pg.Client({
    host: pidFileLines[SOCKET_LINE],
    user: 'krapao',
    database: 'krapao',
    application_name: 'bench',
  });
  // The system may stop before the connection is closed.
  operator.on('error', () => {});
  await operator.connect();
  await liftLimits(operator);
  const [backendRow] = (await operator.query<{ pid: number }>('select pg_backend_pid() as pid')).rows;
  const api = new HttpClient(url);
  const outside = new HttpClient(outsideUrl);
  return {
    name,
    api,
    outside,
    operator,
    operatorPid: backendRow?.pid ?? 0,
    databaseLog: join(data, 'postgres.log'),
    pids: { api: server, simulators, postgres: Number(pidFileLines[PID_LINE]) },
    async close() {
      api.close();
      outside.close();
      await operator.end().catch(() => {});
    },
  };
}

function environment({ data, apiProcesses }: SystemOptions): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env;
  return {
    PATH,
    HOME,
    ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }),
    // Makes the launcher stop when this process exits.
    npm_lifecycle_event: 'start',
    PORT: '0',
    SIMULATORS_PORT: '0',
    DATA_DIR: data,
    ...(apiProcesses !== undefined && { API_PROCESSES: String(apiProcesses) }),
    REQUESTS_PER_MINUTE: '900000000',
    // Calls are not refused on a busy machine.
    EVENT_LOOP_DELAY_MAX_MS: '0',
    OUTSIDE_TIMEOUT_MS: '60000',
  };
}

function waitUntilReady(launcher: ChildProcess): Promise<{ url: string; outsideUrl: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ url: string; outsideUrl: string }>();
  let output = '';
  const timer = setTimeout(() => reject(new Error(`The system was not ready in time:\n${output}`)), READY_TIMEOUT_MS);
  const read = (chunk: Buffer): void => {
    output += chunk.toString();
    const [, url, outsideUrl] = READY_MESSAGE.exec(output) ?? [];
    if (url === undefined || outsideUrl === undefined) return;
    clearTimeout(timer);
    resolve({ url, outsideUrl });
  };
  launcher.stdout?.on('data', read);
  launcher.stderr?.on('data', read);
  launcher.once('exit', (code) => {
    clearTimeout(timer);
    reject(new Error(`The system ended with ${code ?? 'a signal'}:\n${output}`));
  });
  return promise;
}

/** Processes in running.json; the launcher starts the simulators first. */
function childrenOf(data: string): { simulators: number; server: number } {
  const { children } = JSON.parse(readFileSync(join(data, 'running.json'), 'utf8')) as { children: { pid: number }[] };
  const [simulators, server] = children;
  if (!simulators || !server) throw new Error('the launcher has not started server and simulators');
  return { simulators: simulators.pid, server: server.pid };
}

/** Sets the priority of all threads: Linux has one per thread. */
function setNice(pid: number, nice: number): void {
  if (nice === 0) return;
  for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), nice);
}

// Raises limits (docs/runbooks/operator-data.md): a few members act like thousands.
export async function liftLimits(operator: {
  query(text: string, values?: unknown[]): Promise<{ rows: { isFormer: boolean }[] }>;
}): Promise<void> {
  // Before migration 0361 the tables had another prefix: `--against` may start such a version.
  const { rows } = await operator.query(`select to_regclass('lookup_limit') is not null as "isFormer"`);
  const prefix = rows[0]?.isFormer ? 'lookup' : 'operator_data';
  await operator.query(`update ${prefix}_limit set hits = $1`, [UNLIMITED_COUNT]);
  await operator.query(
    `update ${prefix}_setting set value = jsonb_set(value::jsonb, '{coinPer,BAHT}', '"20.00"') where name = 'spinwheel'`,
  );
  await operator.query(`update bonus_offer set max_received = 1000, quota = null where code = 'WELCOME'`);
  await operator.query(
    `update bonus_offer_amount set rest = 100000000000, budget = null where code = 'WELCOME' and currency = 'BAHT'`,
  );
  await wait(OPERATOR_DATA_MS);
}

async function stopProcess(launcher: ChildProcess): Promise<void> {
  if (launcher.exitCode !== null || launcher.signalCode !== null) return;
  const exit = once(launcher, 'exit');
  // SIGINT stops without a drain.
  launcher.kill('SIGINT');
  const timer = setTimeout(() => launcher.kill('SIGKILL'), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(timer);
}
