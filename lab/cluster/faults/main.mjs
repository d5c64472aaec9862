// `npm run lab -- cluster-faults`: faults on the cluster of `npm run lab -- cluster` under a steady load of money commands, then a
// verification that no acknowledged command was lost or doubled. Exits with 1 on a violation. Database in memory, folder removed.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureInstalled, ROOT } from '../../../tools/install.mjs';
import { ensureWebBuilt } from '../../../tools/web-build.mjs';
import { startCluster } from '../cluster.mjs';
import { requireNamespaces } from '../network.mjs';
import { unpackOlder } from '../older-version.mjs';
import { ensurePackages } from '../packages.mjs';
import { runUntilStopped } from '../run-until-stopped.mjs';
import { readBooks } from './books.mjs';
import { Client } from './client.mjs';
import { injectFaults } from './inject-faults.mjs';
import { needsOlder } from './kinds/kinds.mjs';
import { injectOutsideFaults } from './kinds/outside-faults.mjs';
import { Load } from './load.mjs';
import { LIFT_LIMITS, createMembers } from './members.mjs';
import { readOptions } from './options.mjs';
import { seededRandom } from './random.mjs';
import { tableOf, totalsOf, violationsOf, writeReport } from './report.mjs';
import { verify } from './verify.mjs';

const DISK_SIZE = '3000m';
const OUTSIDE_TIMEOUT_MS = 3_000;
/** Nodes read the operator's tables every second. */
const OPERATOR_DATA_MS = 2_000;
/** Members call from one address, and all processes share few cores. */
const NODE_SETTINGS = { REQUESTS_PER_MINUTE: '900000000', EVENT_LOOP_DELAY_MAX_MS: '0' };
/** Added to the seed: each group has independent random numbers. */
const SEED_OF_GROUP = { load: 1, outside: 2, database: 3, nodes: 4, sessions: 5 };

const folder = join(process.env.DATA_DIR || join(ROOT, 'data'), 'cluster-faults');
const print = console.log;

await runUntilStopped(async ({ onStop, stopped }) => {
  const options = readOptions();
  const randomOf = (group) => seededRandom(options.seed * 1_000 + SEED_OF_GROUP[group]);
  let isStopping = false;
  void stopped.then(() => (isStopping = true));
  ensureInstalled();
  ensurePackages();
  const network = requireNamespaces();
  ensureWebBuilt();
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  removeFolder();
  onStop(removeFolder);
  const older = olderVersion(options);
  const clusterOptions = {
    network,
    folder,
    env: NODE_SETTINGS,
    tmpfs: DISK_SIZE,
    isTemporary: true,
    older,
    outsideTimeoutMs: OUTSIDE_TIMEOUT_MS,
  };
  const cluster = await startCluster({ ...clusterOptions, say: print, onStarted: onStop });
  const context = await populate(cluster, options, randomOf('load'));
  const startedAt = performance.now();
  context.load.start();
  const outsideFaults = injectOutsideFaults(context.outside, randomOf('outside'));
  const { minutes, calm, kinds } = options;
  const rows = await injectFaults({
    cluster,
    ...context,
    randomOf,
    minutes,
    calm,
    kinds,
    say: print,
    isStopped: () => isStopping,
  });
  const outsideResult = await outsideFaults.stop();
  await context.load.stop();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  print(`${context.load.records.length} keys. Waiting until all are final, then comparing each on all nodes …`);
  const verification = await verify({ cluster, folder, ...context, say: print });
  const violations = [...violationsOf(rows), ...verification.violations];
  const totals = totalsOf({
    options,
    older,
    seconds,
    rows,
    load: context.load,
    outside: outsideResult,
    proof: verification,
  });
  writeReport({ totals, rows, outside: outsideResult, proof: verification, violations, folder });
  printResults({ totals, rows, outside: outsideResult, proof: verification, violations });
  return violations.length === 0 ? 0 : 1;
});

function olderVersion({ kinds, older: commit }) {
  if (!needsOlder(kinds)) return undefined;
  const olderProgram = unpackOlder(folder, commit);
  print(
    olderProgram
      ? `The nodes start with the version of commit ${olderProgram.commit} and are upgraded under load.`
      : 'git has no earlier version that may serve beside this one: no rolling upgrades.',
  );
  return olderProgram;
}

async function populate({ postgres, publicUrl, authority, ...cluster }, { rate, members: count }, random) {
  const api = new Client(publicUrl, authority.certificate);
  const outside = new Client(cluster.outside);
  await postgres.sql(await postgres.leader(), LIFT_LIMITS, 'krapao');
  await wait(OPERATOR_DATA_MS);
  print(`Registering ${count} members …`);
  const members = await createMembers({ api, outside }, count);
  const booksBefore = await readBooks({ api, outside, members });
  const load = new Load({ api, outside, members, perSecond: rate, random });
  return { api, outside, members, before: booksBefore, load };
}

function printResults({ totals, rows, outside, proof, violations }) {
  const { seconds, seed, moneyCommands, commands, keys, calls, copies, reads, repliesCompared, statuses } = totals;
  print(`\n${tableOf(rows, outside.counts)}\n`);
  print(
    `${totals.clusterFaults} faults of the cluster, ${totals.outsideFaults} of counterparties, ${seconds} s, seed ${seed}`,
  );
  print(`${moneyCommands} money commands with distinct keys: ${JSON.stringify(commands)}`);
  print(`${keys} keys kept or unknown · ${calls} calls with retries and ${copies} copies · ${reads} reads`);
  print(`${repliesCompared} replies of nodes compared · replies by status: ${JSON.stringify(statuses)}`);
  const results = [proof.audit, proof.reconcile].map((output) => output.trim().split('\n').at(-1));
  const { differences, books: bookDifferences } = proof;
  print(
    [`${differences.length} different replies`, `${bookDifferences.length} different books`, ...results].join(' · '),
  );
  for (const violation of violations) print(`VIOLATION: ${violation.slice(0, 2_000)}`);
  print(`${violations.length} violations; reports/cluster.json`);
}
