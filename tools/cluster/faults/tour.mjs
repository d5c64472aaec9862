import { setTimeout as wait } from 'node:timers/promises';
import { KINDS } from './kinds.mjs';

const CALM_MS = 2_000;
const STREAMING_WITHIN_MS = 45_000;
const RECOVERED_WITHIN_MS = 90_000;
/** Strict for this share of the faults of a leader; otherwise a lone leader acknowledges by itself. */
const STRICT_SHARE = 0.7;

/** Injects faults, in an order that follows from the seed, until the time is over. @returns one row for each fault */
export async function tour({ cluster, load, random, minutes, kinds, say, isStopped }) {
  const rows = [];
  const until = performance.now() + minutes * 60_000;
  while (performance.now() < until && !isStopped()) {
    for (const kind of random.shuffle(kinds)) {
      if (performance.now() >= until || isStopped()) break;
      const row = await inject({ cluster, load, random, kind });
      rows.push(row);
      const seconds = (row.gapMs / 1_000).toFixed(1);
      say(
        `${String(rows.length).padStart(4)}  ${kind.padEnd(20)}  longest gap ${seconds} s${row.note && `  ${row.note}`}${row.error && `  ${row.error}`}`,
      );
    }
  }
  return rows;
}

async function inject({ cluster, load, random, kind }) {
  const { postgres, nodes } = cluster;
  const leader = await postgres.ready(RECOVERED_WITHIN_MS).catch(() => undefined);
  if (!leader) return { kind, gapMs: 0, unavailable: 0, note: '', error: 'not injected: PostgreSQL has not recovered' };
  const isStrict = random.next() < STRICT_SHARE;
  await postgres.configure({ synchronous_mode_strict: isStrict });
  const standby = random.pick(postgres.machines.filter((machine) => machine !== leader));
  const node = random.pick(nodes.machines);
  const before = load.statuses.get(503) ?? 0;
  const startedAt = performance.now();
  let error = '';
  let note = '';
  try {
    await KINDS[kind].run({ cluster, random, leader, standby, node });
    note = await recover(postgres);
    for (const machine of nodes.machines) await nodes.ready(machine);
  } catch (failure) {
    error = failure.message;
  }
  await wait(CALM_MS);
  const gapMs = load.longestGap(startedAt, performance.now());
  return { kind, isStrict, gapMs, unavailable: (load.statuses.get(503) ?? 0) - before, note, error };
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
