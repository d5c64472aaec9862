// Holds the PostgreSQL that all test processes of this work tree share, as long as one of them is connected here, and a
// moment longer. Started by cluster.ts, never by hand.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { MEETING_POINT } from './cluster-name.ts';

const LINGER_MS = 4_000;

const waiting = new Set<Socket>();
let url = '';
let closing: NodeJS.Timeout | undefined;

const server = createServer((socket) => {
  clearTimeout(closing);
  waiting.add(socket);
  socket.on('error', () => {});
  socket.on('close', () => {
    waiting.delete(socket);
    if (waiting.size === 0) closing = setTimeout(() => void end(), LINGER_MS);
  });
  socket.resume();
  if (url) socket.write(`${url}\n`);
});

// Two may start concurrently: the second finds the name taken and exits, its starter waits for the first.
server.on('error', () => process.exit(0));
await new Promise<void>((resolve) => server.listen(MEETING_POINT, resolve));

const directory = mkdtempSync(join(tmpdir(), 'krapao-test-'));
const cluster = await launchEmbeddedPostgres({
  directory: join(directory, 'postgres'),
  durable: false,
  // Several files run concurrently, some with several servers, each of which has a dozen connections.
  maxConnections: 400,
});
url = cluster.url;
for (const socket of waiting) socket.write(`${url}\n`);
process.on('SIGTERM', () => void end());
void cluster.died.then(() => process.exit(1));

async function end(): Promise<void> {
  server.close();
  for (const socket of waiting) socket.destroy();
  await cluster.stop();
  rmSync(directory, { recursive: true, force: true });
  process.exit(0);
}
