// `npm run lab -- cluster-faults`: a tour of faults on the cluster of `npm run lab -- cluster` under a steady load of money commands, then the proof
// that nothing acknowledged was lost or doubled. `-- --minutes 15 --seed 1 --rate 250 --members 240 --faults "leader killed,disk full"`.
// Bounded: the tour ends by itself, and with 1 when it finds a violation. Its database is in memory, its folder ends with it.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ensureInstalled, ROOT } from '../../../tools/install.mjs';
import { ensureWebBuilt } from '../../../tools/web-build.mjs';
import { startCluster } from '../cluster.mjs';
import { unpackOlder } from '../older-version.mjs';
import { requireNamespaces } from '../network.mjs';
import { ensurePackages } from '../packages.mjs';
import { runUntilStopped } from '../run-until-stopped.mjs';
import { pictureOf } from './books.mjs';
import { Client } from './client.mjs';
import { needsOlder } from './kinds/kinds.mjs';
import { Load } from './load.mjs';
import { LIFT_LIMITS, makeMembers } from './members.mjs';
import { readOptions } from './options.mjs';
import { misbehave } from './kinds/outside-faults.mjs';
import { randomFrom } from './random.mjs';
import { tableOf, totalsOf, violationsOf, writeReport } from './report.mjs';
import { tour } from './tour.mjs';
import { prove } from './verify.mjs';

const DISK = '3000m';
const OUTSIDE_TIMEOUT_MS = 3_000;
/** Nodes read the operator's tables once a second. */
const OPERATOR_NOTICED_MS = 2_000;
/** Members call from one address, and all programs share few cores. */
const ENV = { REQUESTS_PER_MINUTE: '900000000', EVENT_LOOP_DELAY_MAX_MS: '0' };
/** Added to the seed, so that one group's numbers do not follow another's. */
const SEEDS = { load: 1, outside: 2, database: 3, nodes: 4, sessions: 5 };

const folder = join(process.env.DATA_DIR || join(ROOT, 'data'), 'cluster-faults');
const say = console.log;

await runUntilStopped(async ({ onStop, stopped }) => {
  const options = readOptions();
  const randomOf = (group) => randomFrom(options.seed * 1_000 + SEEDS[group]);
  let isStopping = false;
  void stopped.then(() => (isStopping = true));
  ensureInstalled();
  ensurePackages();
  const network = requireNamespaces();
  ensureWebBuilt();
  const remove = () => rmSync(folder, { recursive: true, force: true });
  remove();
  onStop(remove);
  const older = olderVersion(options);
  const wish = {
    network,
    folder,
    env: ENV,
    tmpfs: DISK,
    isTemporary: true,
    older,
    outsideTimeoutMs: OUTSIDE_TIMEOUT_MS,
  };
  const cluster = await startCluster({ ...wish, say, onStarted: onStop });
  const world = await populate(cluster, options, randomOf('load'));
  const startedAt = performance.now();
  world.load.start();
  const counterparties = misbehave(world.outside, randomOf('outside'));
  const { minutes, calm, kinds } = options;
  const rows = await tour({ cluster, ...world, randomOf, minutes, calm, kinds, say, isStopped: () => isStopping });
  const outside = await counterparties.stop();
  await world.load.stop();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  say(`${world.load.records.length} keys. Waiting until all are final, then asking each on every node …`);
  const proof = await prove({ cluster, folder, ...world, say });
  const violations = [...violationsOf(rows), ...proof.violations];
  const totals = totalsOf({ options, older, seconds, rows, load: world.load, outside, proof });
  writeReport({ totals, rows, outside, proof, violations, folder });
  show({ totals, rows, outside, proof, violations });
  return violations.length === 0 ? 0 : 1;
});

function olderVersion({ kinds, older: commit }) {
  if (!needsOlder(kinds)) return undefined;
  const older = unpackOlder(folder, commit);
  say(
    older
      ? `The nodes begin with the version of commit ${older.commit} and are upgraded under load.`
      : 'git has no earlier version that may serve beside this one: rolling upgrades are left out.',
  );
  return older;
}

async function populate({ postgres, publicUrl, authority, ...cluster }, { rate, members: count }, random) {
  const api = new Client(publicUrl, authority.certificate);
  const outside = new Client(cluster.outside);
  await postgres.sql(await postgres.leader(), LIFT_LIMITS, 'krapao');
  await wait(OPERATOR_NOTICED_MS);
  say(`Registering ${count} members …`);
  const members = await makeMembers({ api, outside }, count);
  const before = await pictureOf({ api, outside, members });
  const load = new Load({ api, outside, members, perSecond: rate, random });
  return { api, outside, members, before, load };
}

function show({ totals, rows, outside, proof, violations }) {
  const { seconds, seed, moneyCommands, commands, keys, calls, copies, reads, answersCompared, statuses } = totals;
  say(`\n${tableOf(rows, outside.counts)}\n`);
  say(
    `${totals.clusterFaults} faults of the cluster, ${totals.outsideFaults} of counterparties, ${seconds} s, seed ${seed}`,
  );
  say(`${moneyCommands} money commands, each with a key of its own: ${JSON.stringify(commands)}`);
  say(`${keys} keys kept or in doubt · ${calls} calls with retries and ${copies} copies · ${reads} reads`);
  say(`${answersCompared} answers of nodes compared · answers to calls by status: ${JSON.stringify(statuses)}`);
  const ends = [proof.audit, proof.reconcile].map((output) => output.trim().split('\n').at(-1));
  const { differences, books } = proof;
  say([`${differences.length} different answers`, `${books.length} different books`, ...ends].join(' · '));
  for (const violation of violations) say(`VIOLATION: ${violation.slice(0, 2_000)}`);
  say(`${violations.length} violations; reports/cluster.json`);
}
