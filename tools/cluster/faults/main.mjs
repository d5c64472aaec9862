// `npm run faults:cluster`: a tour of faults on the cluster of `npm run cluster` under a steady load of money commands, then the proof
// that nothing acknowledged was lost or doubled. `-- --minutes 15 --seed 1 --rate 10 --members 12 --faults "leader killed,disk full"`.
// Bounded: the tour ends by itself, and with 1 when it finds a violation. Its database is in memory.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureInstalled, ROOT, Sentence } from '../../install.mjs';
import { ensureWebBuilt } from '../../web-build.mjs';
import { startCluster } from '../cluster.mjs';
import { ensurePackages } from '../packages.mjs';
import { runUntilStopped } from '../run-until-stopped.mjs';
import { Client } from './client.mjs';
import { KINDS } from './kinds.mjs';
import { Load } from './load.mjs';
import { LIFT_LIMITS, makeMembers } from './members.mjs';
import { misbehave } from './outside-faults.mjs';
import { randomFrom } from './random.mjs';
import { tableOf, writeReport } from './report.mjs';
import { tour } from './tour.mjs';
import { compareBooks, compareNodes, operatorCommand, pictureOf, settle } from './verify.mjs';

const DISK = '1500m';
const OUTSIDE_TIMEOUT_MS = 3_000;
/** Nodes read the operator's tables once a second. */
const OPERATOR_NOTICED_MS = 2_000;
const FIRST_COMMAND_WITHIN_MS = 30_000;
/** A few members call from one address, and five programs share two cores. */
const ENV = { REQUESTS_PER_MINUTE: '900000000', EVENT_LOOP_DELAY_MAX_MS: '0' };

const folder = join(process.env.DATA_DIR || join(ROOT, 'data'), 'cluster-faults');

await runUntilStopped(async ({ onStop, stopped }) => {
  const options = readOptions();
  let isStopping = false;
  void stopped.then(() => (isStopping = true));
  ensureInstalled();
  ensurePackages();
  ensureWebBuilt();
  rmSync(folder, { recursive: true, force: true });
  const wish = { folder, env: ENV, tmpfs: DISK, outsideTimeoutMs: OUTSIDE_TIMEOUT_MS, say: console.log };
  const cluster = await startCluster({ ...wish, onStarted: onStop });
  const world = await populate(cluster, options);
  const startedAt = performance.now();
  world.load.start();
  const counterparties = misbehave(world.outside, randomFrom(options.seed + 2));
  const random = randomFrom(options.seed);
  const { minutes, kinds } = options;
  const rows = await tour({ cluster, ...world, random, minutes, kinds, say: console.log, isStopped: () => isStopping });
  await counterparties.stop();
  await world.load.stop();
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log('Waiting until everything is final, then asking every key on every node …');
  const proof = await prove({ cluster, ...world });
  const violations = [...violationsOf(rows), ...proof.violations];
  show({ options, rows, seconds, load: world.load, outsideFaults: counterparties.counts, proof, violations });
  return violations.length === 0 ? 0 : 1;
});

async function populate({ postgres, publicUrl, authority, ...cluster }, { seed, rate, members: count }) {
  const api = new Client(publicUrl, authority.certificate);
  const outside = new Client(cluster.outside);
  await postgres.sql(await postgres.leader(), LIFT_LIMITS, 'krapao');
  await wait(OPERATOR_NOTICED_MS);
  console.log(`Registering ${count} members …`);
  const members = await makeMembers({ api, outside }, count);
  const before = await pictureOf({ api, outside, members });
  const load = new Load({ api, outside, members, perSecond: rate, random: randomFrom(seed + 1) });
  return { api, outside, members, before, load };
}

async function prove({ cluster, api, outside, members, before, load }) {
  const unfinished = await settle({ load, api, members });
  const differences = await compareNodes({ load, nodes: cluster.nodes });
  const books = compareBooks({ load, members, before, after: await pictureOf({ api, outside, members }) });
  const audit = await operatorCommand('audit', { ...cluster, folder });
  const reconcile = await operatorCommand('reconcile', { ...cluster, folder });
  const violations = [
    ...load.violations.map((one) => `answer ${JSON.stringify(one)}`),
    ...unfinished,
    ...differences.map((one) => `answers differ: ${JSON.stringify(one)}`),
    ...books,
    ...[audit, reconcile].filter(({ status }) => status !== 0).map(({ output }) => output),
  ];
  return { differences, books, audit: audit.output, reconcile: reconcile.output, violations };
}

function violationsOf(rows) {
  const slow = rows.filter(({ kind, gapMs }) => KINDS[kind].leaderDies && gapMs > FIRST_COMMAND_WITHIN_MS);
  return [
    ...rows.filter(({ error }) => error).map(({ kind, error }) => `${kind}: ${error}`),
    ...slow.map(({ kind, gapMs }) => `${kind}: first money command after ${(gapMs / 1_000).toFixed(1)} s`),
  ];
}

function show({ options, rows, seconds, load, outsideFaults, proof, violations }) {
  const statuses = Object.fromEntries([...load.statuses].toSorted(([one], [other]) => one - other));
  const groups = Object.entries(Object.groupBy(load.records, ({ name }) => name));
  const commands = Object.fromEntries(groups.map(([name, group]) => [name, group.length]));
  const { audit, reconcile, differences, books } = proof;
  const totals = { seed: options.seed, seconds, keys: load.records.length, commands, statuses };
  const report = {
    ...totals,
    faults: rows,
    outsideFaults: Object.fromEntries(outsideFaults),
    violations,
    audit,
    reconcile,
  };
  writeReport(report);
  console.log(`\n${tableOf(rows, outsideFaults)}\n`);
  console.log(`${totals.keys} keys in ${seconds} s with seed ${options.seed}: ${JSON.stringify(commands)}`);
  console.log(`answers by status: ${JSON.stringify(statuses)}`);
  const ends = [audit, reconcile].map((output) => output.trim().split('\n').at(-1));
  console.log([`${differences.length} different answers`, `${books.length} different books`, ...ends].join(' · '));
  for (const violation of violations) console.log(`VIOLATION: ${violation.slice(0, 2_000)}`);
  console.log(`${violations.length} violations; reports/cluster.json`);
}

function readOptions() {
  const text = (value) => ({ type: 'string', default: value });
  const options = { minutes: text('15'), seed: text('1'), rate: text('10'), members: text('12'), faults: text('') };
  const { values } = parseArgs({ options });
  const number = (name) => {
    const value = Number(values[name]);
    if (Number.isNaN(value) || value < 0) throw new Sentence(`--${name} must be a number.`);
    return value;
  };
  const kinds = values.faults === '' ? Object.keys(KINDS) : values.faults.split(',').map((name) => name.trim());
  const unknown = kinds.find((name) => !Object.hasOwn(KINDS, name));
  if (unknown !== undefined)
    throw new Sentence(`There is no fault "${unknown}". Faults: ${Object.keys(KINDS).join(', ')}.`);
  const [minutes, seed, rate, members] = ['minutes', 'seed', 'rate', 'members'].map(number);
  return { minutes, seed, rate, members, kinds };
}
