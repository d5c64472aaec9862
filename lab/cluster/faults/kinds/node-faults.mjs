import { setTimeout as wait } from 'node:timers/promises';
import { cutOff, frozen, poweredOff } from './machine-faults.mjs';

const HELD_MS = 4_000;
/** The balancer takes a node back after its next check. */
const CHECKED_MS = 2_000;

/** Faults of the nodes, one node at a time. `needsOlder`: an older version of the product is there. */
export const NODE_FAULTS = {
  'node killed': { run: ({ node }) => node.signal('krapao', 'SIGKILL') },
  'node drained': { run: ({ node }) => node.signal('krapao', 'SIGTERM') },
  'node without power': { run: ({ node }) => poweredOff(node, HELD_MS) },
  'node frozen': { run: ({ node }) => frozen(node, HELD_MS) },
  'node cut off': { run: ({ node }) => cutOff(node, HELD_MS) },
  'rolling restart': { run: ({ cluster: { nodes } }) => roll(nodes) },
  'rolling upgrade and back': { run: rollBackAndForth, needsOlder: true },
};

/** Drains node by node, each started again before the next. @param directory of the version that it starts with */
export async function roll(nodes, directory) {
  for (const machine of nodes.machines) {
    if (directory !== undefined) nodes.useVersion(machine, directory);
    await machine.signal('krapao', 'SIGTERM');
    await nodes.ready(machine);
    await wait(CHECKED_MS);
  }
}

async function rollBackAndForth({ cluster: { nodes, older } }) {
  await roll(nodes, older.directory);
  await roll(nodes, nodes.directory);
}
