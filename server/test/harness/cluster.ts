import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CLUSTER_SOCKET_NAME } from './cluster-name.ts';

const CONNECT_ATTEMPTS = 600;
const PAUSE_MS = 50;

let clusterUrl: Promise<string> | undefined;

/**
 * Address of the tests' shared PostgreSQL: DATABASE_URL, to test any version; otherwise an embedded one, started by the
 * first process and stopped after the last.
 */
export function sharedClusterUrl(): Promise<string> {
  clusterUrl ??= process.env['DATABASE_URL'] ? Promise.resolve(process.env['DATABASE_URL']) : connectToKeeper();
  return clusterUrl;
}

async function connectToKeeper(): Promise<string> {
  for (let attempt = 0; attempt < CONNECT_ATTEMPTS; attempt += 1) {
    const socket = await tryConnect();
    const url = socket && (await readLine(socket));
    if (url) return url;
    if (attempt % 100 === 0) startKeeper();
    await wait(PAUSE_MS);
  }
  throw new Error('The database of the tests did not start.');
}

function startKeeper(): void {
  spawn(process.execPath, [join(import.meta.dirname, 'cluster-keeper.ts')], {
    detached: true,
    stdio: 'ignore',
  }).unref();
}

async function tryConnect(): Promise<Socket | undefined> {
  const socket = connect(CLUSTER_SOCKET_NAME);
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}

// The connection stays open for the life of this process, which keeps the database running. The connection does not
// keep this process alive.
async function readLine(socket: Socket): Promise<string | undefined> {
  socket.setEncoding('utf8');
  let text = '';
  const firstLine = await new Promise<string | undefined>((resolve) => {
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
  socket.unref();
  return firstLine;
}
