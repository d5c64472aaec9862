import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ListenOptions, type Server } from 'node:net';

/** Below the range of automatically assigned ports, which starts at 32768 on Linux. */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;

/**
 * A free port that no other test gets while this process runs, so that it stays free until a slow server has started.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    // A name without a file: binding is atomic, and the name disappears with its process.
    const portClaim = await tryListen({ path: `\0krapao-test-port-${port}` });
    if (!portClaim) continue;
    portClaim.unref();
    const portProbe = await tryListen({ port, host: '127.0.0.1' });
    if (!portProbe) continue;
    portProbe.close();
    await once(portProbe, 'close');
    return port;
  }
}

async function tryListen(listenOptions: ListenOptions): Promise<Server | undefined> {
  const server = createServer().listen(listenOptions);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
