// Cleans up after a cluster, even after SIGKILL. Reads machines from standard input, one network (processes.mjs) per line. At its
// end it kills their remaining processes and removes the network and the folders of its arguments.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { removeNetwork } from './network.mjs';
import { kill, processesOf } from './processes.mjs';

const POLL_MS = 50;
const networks = [];
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});
for await (const line of createInterface(process.stdin)) networks.push(line);
const remainingPids = () => networks.flatMap((network) => processesOf(network));
for (let pids = remainingPids(); pids.length > 0; pids = remainingPids()) {
  for (const pid of pids) kill(pid, 'SIGKILL');
  await wait(POLL_MS);
}
removeNetwork();
for (const folder of process.argv.slice(2)) {
  // Simulators may still write for a moment.
  rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 });
}
