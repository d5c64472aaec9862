import { setTimeout as wait } from 'node:timers/promises';
import { cutOff, freeze, powerCycle } from './machine-faults.mjs';

const FAULT_MS = 4_000;
/** The balancer adds a node again after its next check. */
const CHECKED_MS = 2_000;

/** Faults of one node at a time. `needsOlder`: needs an older version of the product. */
export const NODE_FAULTS = {
  'node killed': { run: ({ node }) => node.signal('krapao', 'SIGKILL') },
  'node drained': { run: ({ node }) => node.signal('krapao', 'SIGTERM') },
  'node without power': { run: ({ node }) => powerCycle(node, FAULT_MS) },
  'node frozen': { run: ({ node }) => freeze(node, FAULT_MS) },
  'node cut off': { run: ({ node }) => cutOff(node, FAULT_MS) },
  'rolling restart': { run: ({ cluster: { nodes } }) => rollNodes(nodes) },
  'rolling upgrade and back': { run: downgradeAndUpgrade, needsOlder: true },
};

/** Restarts the nodes in sequence with a drain each. @param directory of the version to start */
export async function rollNodes(nodes, directory) {
  for (const machine of nodes.machines) {
    if (directory !== undefined) nodes.useVersion(machine, directory);
    await machine.signal('krapao', 'SIGTERM');
    await nodes.ready(machine);
    await wait(CHECKED_MS);
  }
}

async function downgradeAndUpgrade({ cluster: { nodes, older } }) {
  await rollNodes(nodes, older.directory);
  await rollNodes(nodes, nodes.directory);
}
