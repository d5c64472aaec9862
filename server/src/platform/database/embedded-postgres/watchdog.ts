import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { WATCHDOG_NAME } from './postmaster.ts';
import { ENVIRONMENT, type Sandbox } from './sandbox.ts';

// PostgreSQL ends with its Node process: the pipe on descriptor 3 closes with that process, even on kill -9. The pipe
// is moved to 3 first because a background job has /dev/null as its input.
const SCRIPT = `exec 3<&0
"$@" </dev/null 3<&- &
postgres=$!
( read -r nothing <&3; kill -INT "$postgres" ) 2>/dev/null &
reader=$!
exec 3<&-
wait "$postgres"
status=$?
kill "$reader" 2>/dev/null
exit $status`;

export type PostgresRun = {
  directory: string;
  socketDirectory: string;
  sandbox: Sandbox;
  durable: boolean;
  maxConnections: number;
  /** More settings, which come last. */
  settings: Readonly<Record<string, string>>;
  /** Descriptor of the file that its output goes to. A pipe would block every backend when Node is busy. */
  log: number;
};

/** Starts PostgreSQL under its watchdog; returns the watchdog's process. */
export function spawnUnderWatchdog(run: PostgresRun): ChildProcess {
  const { directory, sandbox } = run;
  const words = Object.entries(settingsOf(run)).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const program = [...sandbox.prefix, join(sandbox.native, 'bin/postgres'), '-D', directory, ...words];
  // A process group of its own: Ctrl-C reaches Node alone, which lets open requests end before it stops the database.
  const child = spawn('sh', ['-c', SCRIPT, WATCHDOG_NAME, ...program], {
    cwd: '/',
    env: ENVIRONMENT,
    detached: true,
    stdio: ['pipe', run.log, run.log],
    ...sandbox.owner,
  });
  child.unref();
  // The pipe must not keep an otherwise idle Node process alive.
  (child.stdin as unknown as { unref(): void }).unref();
  child.stdin?.on('error', () => {});
  return child;
}

function settingsOf({ socketDirectory, durable, maxConnections, settings }: PostgresRun): Record<string, string> {
  const safe = durable ? 'on' : 'off';
  return {
    listen_addresses: '',
    port: '5432',
    unix_socket_directories: socketDirectory,
    unix_socket_permissions: '0700',
    max_connections: String(maxConnections),
    shared_buffers: '128MB',
    fsync: safe,
    full_page_writes: safe,
    synchronous_commit: safe,
    max_wal_size: '1GB',
    // A plan that was made while a table was nearly empty is kept until the table is analysed: not for a whole minute.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    // The log would otherwise show the values of a refused row: phone and bank account numbers.
    log_error_verbosity: 'terse',
    ...settings,
  };
}
