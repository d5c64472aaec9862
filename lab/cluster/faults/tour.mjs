import { setTimeout as wait } from 'node:timers/promises';
import { KINDS, kindsOf } from './kinds/kinds.mjs';
import { roll } from './kinds/node-faults.mjs';

const CALM_MS = 1_500;
const POLL_MS = 250;
const CALM_OF_NODES_MS = 500;
const BETWEEN_SESSIONS_MS = 6_000;
const STREAMING_WITHIN_MS = 45_000;
const RECOVERED_WITHIN_MS = 90_000;
/** Strict for this share of the faults of the database; otherwise a lone leader acknowledges by itself. */
const STRICT_SHARE = 0.7;

/**
 * Injects faults until the time is over: one of the database at a time, at the same time one of the nodes, and now and then of
 * their sessions. @param randomOf random numbers of each group: the order within it follows from the seed
 * @param calm seconds between two faults of the database @returns one row for each fault
 */
export async function tour({ cluster, load, randomOf, minutes, calm, kinds, say, isStopped }) {
  const rows = [];
  const until = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() >= until || isStopped();
  const databaseIn = { progress: 0, lastEnd: 0 };
  const record = (row) => {
    rows.push(row);
    say(lineOf(row, rows.length));
  };
  const wish = { cluster, load, record, isOver, databaseIn, calm };
  const has = (group) => kindsOf(group, kinds, cluster.older !== undefined);
  await Promise.all([
    repeat({ ...wish, kinds: has('database'), random: randomOf('database'), inject: injectIntoDatabase }),
    upgradeFirst(wish).then(() =>
      repeat({ ...wish, kinds: has('nodes'), random: randomOf('nodes'), inject: injectIntoNodes }),
    ),
    repeat({ ...wish, kinds: has('sessions'), random: randomOf('sessions'), inject: injectIntoSessions }),
  ]);
  return rows;
}

async function repeat({ kinds, inject, record, ...wish }) {
  while (kinds.length > 0 && !wish.isOver()) {
    for (const kind of wish.random.shuffle(kinds)) {
      if (wish.isOver()) break;
      const row = await inject({ ...wish, kind });
      if (row) record(row);
    }
  }
}

/** The cluster was started with the older version: its first upgrade applies the migrations that it lacks. */
async function upgradeFirst({ cluster: { nodes, older }, record, ...wish }) {
  if (older === undefined) return;
  const row = await measured(wish, 'rolling upgrade', () => roll(nodes, nodes.directory));
  record({ ...row, gapMs: undefined });
}

async function injectIntoDatabase({ cluster, load, random, databaseIn, calm, isOver, kind }) {
  const { postgres, nodes } = cluster;
  const wantsStrict = random.next() < STRICT_SHARE;
  const isStrict = KINDS[kind].isStrict ?? wantsStrict;
  const standbyNumber = random.next();
  const leader = await postgres.ready(RECOVERED_WITHIN_MS).catch(() => undefined);
  if (!leader) return notInjected(kind, 'PostgreSQL has not recovered');
  try {
    await postgres.emptyArchives();
    const isConfigured = await postgres.configure({ synchronous_mode_strict: isStrict });
    if (!isConfigured) throw new Error('Patroni has not taken the strict mode');
  } catch ({ message }) {
    await wait(calm * 1_000);
    return notInjected(kind, message);
  }
  const standbys = postgres.machines.filter((machine) => machine !== leader);
  const standby = standbys[Math.floor(standbyNumber * standbys.length)];
  databaseIn.progress += 1;
  const row = await measured({ load }, kind, async () => {
    await KINDS[kind].run({ cluster, leader, standby });
    const note = await recover(postgres);
    for (const machine of nodes.machines) await nodes.ready(machine);
    await wait(CALM_MS);
    return note;
  });
  databaseIn.progress -= 1;
  databaseIn.lastEnd = performance.now();
  while (!isOver() && performance.now() < databaseIn.lastEnd + calm * 1_000) await wait(POLL_MS);
  return { ...row, isStrict };
}

const notInjected = (kind, why) => ({ kind, gapMs: 0, unavailable: 0, error: `not injected: ${why}` });

async function injectIntoNodes({ cluster, load, random, databaseIn, kind }) {
  const { nodes } = cluster;
  const node = random.pick(nodes.machines);
  const startedAt = performance.now();
  const wasCalm = databaseIn.progress === 0;
  const row = await measured({ load }, kind, async () => {
    await KINDS[kind].run({ cluster, node });
    for (const machine of nodes.machines) await nodes.ready(machine);
    await wait(CALM_OF_NODES_MS);
  });
  // A pause of the database's says nothing about the nodes.
  const isCalm = wasCalm && databaseIn.progress === 0 && databaseIn.lastEnd < startedAt;
  return isCalm ? row : { ...row, gapMs: undefined };
}

async function injectIntoSessions({ cluster, random, kind }) {
  await wait(BETWEEN_SESSIONS_MS * (0.5 + random.next()));
  const signalled = await KINDS[kind].run({ cluster, random });
  return signalled === undefined ? undefined : { kind, unavailable: 0, note: `${signalled} sessions` };
}

async function measured({ load }, kind, run) {
  const before = load.statuses.get(503) ?? 0;
  const startedAt = performance.now();
  const row = { kind, at: new Date().toISOString() };
  try {
    row.note = (await run()) ?? '';
  } catch (failure) {
    row.error = failure.message;
  }
  row.gapMs = load.longestGap(startedAt, performance.now());
  row.unavailable = (load.statuses.get(503) ?? 0) - before;
  return row;
}

/** Waits until both standbys follow. One that never does is cloned again, as an operator would. @returns what was done */
async function recover(postgres) {
  try {
    await postgres.ready(STREAMING_WITHIN_MS);
    return '';
  } catch {
    const names = await postgres.reinitialize();
    await postgres.ready(RECOVERED_WITHIN_MS);
    return `cloned again: ${names.join(', ')}`;
  }
}

function lineOf({ kind, gapMs, note, error }, number) {
  const gap = gapMs === undefined ? '' : `longest gap ${(gapMs / 1_000).toFixed(1)} s`;
  return [String(number).padStart(4), kind.padEnd(26), gap, note, error].filter(Boolean).join('  ');
}
