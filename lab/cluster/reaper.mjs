// Reads machines from standard input, each by its network (processes.mjs), a line each; when that ends, with the cluster or with a kill -9 of it, kills
// all that still runs in them, and removes the network, and the folders that it was started with.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { removeNetwork } from './network.mjs';
import { kill, processesOf } from './processes.mjs';

const POLL_MS = 50;
const networks = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
for await (const line of createInterface(process.stdin)) networks.push(line);
const left = () => networks.flatMap((network) => processesOf(network));
for (let pids = left(); pids.length > 0; pids = left()) {
  for (const pid of pids) kill(pid, 'SIGKILL');
  await wait(POLL_MS);
}
removeNetwork();
for (const folder of process.argv.slice(2)) {
  // Simulators write for a moment yet.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
