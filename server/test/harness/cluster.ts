import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MEETING_POINT } from './cluster-name.ts';

const ATTEMPTS = 600;
const PAUSE_MS = 50;

let shared: Promise<string> | undefined;

/**
 * Address of the PostgreSQL that all tests share: the one of DATABASE_URL, so that the same tests run on any version;
 * else an embedded one, started by the first process that asks and stopped after the last one ended.
 */
export function sharedCluster(): Promise<string> {
  shared ??= process.env['DATABASE_URL'] ? Promise.resolve(process.env['DATABASE_URL']) : meetKeeper();
  return shared;
}

async function meetKeeper(): Promise<string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
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
  const socket = connect(MEETING_POINT);
  try {
    await once(socket, 'connect');
    return socket;
  } catch {
    return undefined;
  }
}

// The connection stays open for the life of this process: that is what keeps the database running. It does not keep
// this process alive in return.
async function readLine(socket: Socket): Promise<string | undefined> {
  socket.setEncoding('utf8');
  let text = '';
  const line = await new Promise<string | undefined>((resolve) => {
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.split('\n')[0]);
    });
    socket.once('error', () => resolve(undefined));
    socket.once('close', () => resolve(undefined));
  });
  socket.unref();
  return line;
}
