import { setTimeout as wait } from 'node:timers/promises';
import { KINDS, kindsOf } from './kinds/kinds.mjs';
import { rollNodes } from './kinds/node-faults.mjs';

const CALM_MS = 1_500;
const POLL_MS = 250;
const NODES_CALM_MS = 500;
const SESSION_FAULT_INTERVAL_MS = 6_000;
const STREAMING_TIMEOUT_MS = 45_000;
const RECOVERY_TIMEOUT_MS = 90_000;
/** Share of database faults in strict mode; otherwise a lone leader acknowledges commits. */
const STRICT_SHARE = 0.7;

/**
 * Injects faults until the time is over: concurrently one of the database, one of the nodes, and some of their sessions.
 * @param randomOf random numbers per group, so that the seed determines the order within a group
 * @param calm seconds between two faults of the database @returns one row per fault
 */
export async function injectFaults({ cluster, load, randomOf, minutes, calm, kinds, say, isStopped }) {
  const rows = [];
  const endMs = performance.now() + minutes * 60_000;
  const isOver = () => performance.now() >= endMs || isStopped();
  const databaseFault = { active: 0, lastEnd: 0 };
  const record = (row) => {
    rows.push(row);
    say(formatRow(row, rows.length));
  };
  const context = { cluster, load, record, isOver, databaseFault, calm };
  const selectedOf = (group) => kindsOf(group, kinds, cluster.older !== undefined);
  await Promise.all([
    injectRepeatedly({
      ...context,
      kinds: selectedOf('database'),
      random: randomOf('database'),
      inject: injectIntoDatabase,
    }),
    upgradeFirst(context).then(() =>
      injectRepeatedly({ ...context, kinds: selectedOf('nodes'), random: randomOf('nodes'), inject: injectIntoNodes }),
    ),
    injectRepeatedly({
      ...context,
      kinds: selectedOf('sessions'),
      random: randomOf('sessions'),
      inject: injectIntoSessions,
    }),
  ]);
  return rows;
}

async function injectRepeatedly({ kinds, inject, record, ...context }) {
  while (kinds.length > 0 && !context.isOver()) {
    for (const kind of context.random.shuffle(kinds)) {
      if (context.isOver()) break;
      const row = await inject({ ...context, kind });
      if (row) record(row);
    }
  }
}

/** Upgrades a cluster that was started with the older version; this applies the missing migrations. */
async function upgradeFirst({ cluster: { nodes, older }, record, ...context }) {
  if (older === undefined) return;
  const row = await measureFault(context, 'rolling upgrade', () => rollNodes(nodes, nodes.directory));
  record({ ...row, gapMs: undefined });
}

async function injectIntoDatabase({ cluster, load, random, databaseFault, calm, isOver, kind }) {
  const { postgres, nodes } = cluster;
  const wantsStrict = random.next() < STRICT_SHARE;
  const isStrict = KINDS[kind].isStrict ?? wantsStrict;
  const standbyNumber = random.next();
  const leader = await postgres.ready(RECOVERY_TIMEOUT_MS).catch(() => undefined);
  if (!leader) return notInjected(kind, 'PostgreSQL has not recovered');
  try {
    await postgres.emptyArchives();
    const isConfigured = await postgres.configure({ synchronous_mode_strict: isStrict });
    if (!isConfigured) throw new Error('Patroni did not accept the strict mode');
  } catch ({ message }) {
    await wait(calm * 1_000);
    return notInjected(kind, message);
  }
  const standbys = postgres.machines.filter((machine) => machine !== leader);
  const standby = standbys[Math.floor(standbyNumber * standbys.length)];
  databaseFault.active += 1;
  const row = await measureFault({ load }, kind, async () => {
    await KINDS[kind].run({ cluster, leader, standby });
    const recoveryNote = await recoverStandbys(postgres);
    for (const machine of nodes.machines) await nodes.ready(machine);
    await wait(CALM_MS);
    return recoveryNote;
  });
  databaseFault.active -= 1;
  databaseFault.lastEnd = performance.now();
  while (!isOver() && performance.now() < databaseFault.lastEnd + calm * 1_000) await wait(POLL_MS);
  return { ...row, isStrict };
}

const notInjected = (kind, reason) => ({ kind, gapMs: 0, unavailable: 0, error: `not injected: ${reason}` });

async function injectIntoNodes({ cluster, load, random, databaseFault, kind }) {
  const { nodes } = cluster;
  const node = random.pick(nodes.machines);
  const startedAt = performance.now();
  const wasCalm = databaseFault.active === 0;
  const row = await measureFault({ load }, kind, async () => {
    await KINDS[kind].run({ cluster, node });
    for (const machine of nodes.machines) await nodes.ready(machine);
    await wait(NODES_CALM_MS);
  });
  // During a database fault the gap is not caused by the node.
  const isCalm = wasCalm && databaseFault.active === 0 && databaseFault.lastEnd < startedAt;
  return isCalm ? row : { ...row, gapMs: undefined };
}

async function injectIntoSessions({ cluster, random, kind }) {
  await wait(SESSION_FAULT_INTERVAL_MS * (0.5 + random.next()));
  const isSignalled = await KINDS[kind].run({ cluster, random });
  return isSignalled === undefined ? undefined : { kind, unavailable: 0, note: `${isSignalled} sessions` };
}

async function measureFault({ load }, kind, run) {
  const refusalsBefore = load.statuses.get(503) ?? 0;
  const startedAt = performance.now();
  const row = { kind, at: new Date().toISOString() };
  try {
    row.note = (await run()) ?? '';
  } catch (failure) {
    row.error = failure.message;
  }
  row.gapMs = load.longestGap(startedAt, performance.now());
  row.unavailable = (load.statuses.get(503) ?? 0) - refusalsBefore;
  return row;
}

/** Waits until both standbys follow; clones one that does not, like an operator. @returns a note */
async function recoverStandbys(postgres) {
  try {
    await postgres.ready(STREAMING_TIMEOUT_MS);
    return '';
  } catch {
    const names = await postgres.reinitialize();
    await postgres.ready(RECOVERY_TIMEOUT_MS);
    return `cloned again: ${names.join(', ')}`;
  }
}

function formatRow({ kind, gapMs, note, error }, number) {
  const gapText = gapMs === undefined ? '' : `longest gap ${(gapMs / 1_000).toFixed(1)} s`;
  return [String(number).padStart(4), kind.padEnd(26), gapText, note, error].filter(Boolean).join('  ');
}
