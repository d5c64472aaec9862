import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral ports, which begin at 32768 on Linux. */
const FIRST = 20_000;
const END = 32_000;

/**
 * A free port, reserved while this process runs, so that it is still free when a slow server listens on it.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, END);
    // An abstract socket (Linux only) is claimed atomically and released with its process.
    const claim = process.platform !== 'linux' || (await listening({ path: `\0krapao-test-port-${port}` }));
    if (!claim) continue;
    if (claim !== true) claim.unref();
    const probe = await listening({ port, host: '127.0.0.1' });
    if (!probe) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}

async function listening(where) {
  const server = createServer().listen(where);
  try {
    await once(server, 'listening');
    return server;
  } catch {
    return undefined;
  }
}
