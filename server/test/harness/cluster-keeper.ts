// Runs the PostgreSQL that all test processes of this work tree share, until shortly after the last connection. Started
// by cluster.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { CLUSTER_SOCKET_NAME } from './cluster-name.ts';

const LINGER_MS = 4_000;

const waitingSockets = new Set<Socket>();
let url = '';
let closeTimer: NodeJS.Timeout | undefined;

const server = createServer((socket) => {
  clearTimeout(closeTimer);
  waitingSockets.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => {
    waitingSockets.delete(socket);
    if (waitingSockets.size === 0) closeTimer = setTimeout(() => void stopCluster(), LINGER_MS);
  });
  socket.resume();
  if (url) socket.write(`${url}\n`);
});

// Two keepers may start concurrently: the second finds the name in use and exits, and its starter waits for the first.
server.on('error', () => process.exit(0));
await new Promise<void>((resolve) => server.listen(CLUSTER_SOCKET_NAME, resolve));

const directory = mkdtempSync(join(tmpdir(), 'krapao-test-'));
const cluster = await launchEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  durable: false,
  // Several test files run concurrently, some with several servers of a dozen connections each.
  maxConnections: 400,
});
url = cluster.url;
for (const socket of waitingSockets) socket.write(`${url}\n`);
process.on('SIGTERM', () => void stopCluster());
void cluster.died.then(() => process.exit(1));

async function stopCluster(): Promise<void> {
  server.close();
  for (const socket of waitingSockets) socket.destroy();
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}
