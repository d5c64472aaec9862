import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what a system gives out by itself, to whoever connects or listens without a wish: Linux begins at 32768. */
const FIRST = 20_000;
const END = 32_000;

/**
 * A port of this machine that nobody listens on, and that no other start is given as long as this process lives: a server
 * that needs a while to start finds it as free as it was.
 */
export async function freePort() {
  for (;;) {
    const port = randomInt(FIRST, END);
    // A name without a file, which Linux alone has: taking it is atomic, and it is gone with its process.
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
