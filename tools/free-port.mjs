import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, which begin at 32768 on Linux. */
const FIRST_PORT = 20_000;
const END_PORT = 32_000;

/**
 * Finds a free port and reserves it while this process runs, so that it is still free when a slow server listens on it.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST_PORT, END_PORT);
    // An abstract socket (Linux only) is claimed atomically and released with its process.
    const claimServer = process.platform !== 'linux' || (await listening({ path: `\0krapao-test-port-${port}` }));
    if (!claimServer) continue;
    if (claimServer !== true) claimServer.unref();
    const probeServer = await listening({ port, host: '127.0.0.1' });
    if (!probeServer) continue;
    probeServer.close();
    await once(probeServer, 'close');
    return port;
  }
}

async function listening(address) {
  const server = createServer().listen(address);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
