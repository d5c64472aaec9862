// Reads network namespaces from standard input, a line each; when that ends, with the cluster or with a kill -9 of it, kills
// all that still runs in them, and removes the network, and the folders that it was started with.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { processesOf } from './machine.mjs';
import { removeNetwork } from './network.mjs';

const POLL_MS = 50;
const namespaces = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
for await (const line of createInterface(process.stdin)) namespaces.push(line);
const left = () => namespaces.flatMap((namespace) => processesOf(namespace));
for (let pids = left(); pids.length > 0; pids = left()) {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Ended meanwhile.
    }
  }
  await wait(POLL_MS);
}
removeNetwork();
for (const folder of process.argv.slice(2)) {
  // Simulators write for a moment yet.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
