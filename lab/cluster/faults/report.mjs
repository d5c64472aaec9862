import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../tools/install.mjs';
import { KINDS } from './kinds/kinds.mjs';

const FIRST_COMMAND_TIMEOUT_MS = 30_000;
const REPORTS = join(ROOT, 'reports');
const LOGS = join(REPORTS, 'cluster-logs');
const WIDTHS = [28, 8, 14, 10];

/** Faults that were not injected or healed, and leader failures with a late first money command. */
export function violationsOf(rows) {
  const slow = rows.filter(({ kind, gapMs }) => KINDS[kind]?.leaderDies && gapMs > FIRST_COMMAND_TIMEOUT_MS);
  return [
    ...rows.filter(({ error }) => error).map(({ kind, error }) => `${kind}: ${error}`),
    ...slow.map(({ kind, gapMs }) => `${kind}: first money command after ${(gapMs / 1_000).toFixed(1)} s`),
  ];
}

/** Table of count, longest gap and 503s per kind of fault; the gap is empty if faults of other groups overlapped. */
export function tableOf(rows, outsideFaults) {
  const groups = Object.entries(Object.groupBy(rows, ({ kind }) => kind));
  const line = (...cells) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[index]) : String(cell).padStart(WIDTHS[index])))
      .join('')
      .trimEnd();
  return [
    line('fault', 'number', 'longest gap', '503s'),
    ...groups.map(([kind, group]) => {
      const gaps = group.map(({ gapMs }) => gapMs).filter((gap) => gap !== undefined);
      const unavailable = group.reduce((sum, row) => sum + row.unavailable, 0);
      const gap = gaps.length === 0 ? '' : `${(Math.max(...gaps) / 1_000).toFixed(1)} s`;
      return line(kind, group.length, gap, unavailable);
    }),
    ...Object.entries(outsideFaults).map(([kind, count]) => line(`outside: ${kind}`, count)),
  ].join('\n');
}

/** Totals. `keys`: commands with a kept reply or an unknown outcome, each compared on all nodes. */
export function totalsOf({ options, older, seconds, rows, load, outside, proof }) {
  const sum = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);
  const commands = Object.fromEntries([...load.sent].toSorted(([one], [other]) => (one < other ? -1 : 1)));
  return {
    seed: options.seed,
    seconds,
    olderVersion: older?.commit,
    moneyCommands: sum(commands),
    commands,
    keys: load.records.length,
    calls: load.calls,
    copies: load.copies,
    reads: load.reads,
    repliesCompared: proof.compared,
    statuses: Object.fromEntries([...load.statuses].toSorted(([one], [other]) => one - other)),
    clusterFaults: rows.length,
    outsideFaults: sum(outside.counts),
    outsideFaultsWithoutCall: outside.unmet,
  };
}

/** Writes the report, appends the totals to those of earlier runs, and keeps the logs of a run with violations. */
export function writeReport({ totals, rows, outside, proof, violations, folder }) {
  const { differences, books, audit, reconcile } = proof;
  const differenceCounts = { differentBooks: books.length, differentReplies: differences.length };
  mkdirSync(REPORTS, { recursive: true });
  const report = {
    ...totals,
    ...differenceCounts,
    violations,
    faults: rows,
    outsideByKind: outside.counts,
    books,
    audit,
    reconcile,
  };
  writeFileSync(join(REPORTS, 'cluster.json'), `${JSON.stringify(report, null, 2)}\n`);
  const run = { at: new Date().toISOString(), ...totals, ...differenceCounts, violations: violations.length };
  appendFileSync(join(REPORTS, 'cluster-runs.jsonl'), `${JSON.stringify(run)}\n`);
  rmSync(LOGS, { recursive: true, force: true });
  if (violations.length > 0) keepLogs(folder);
}

/** Copies the logs of all machines to reports/cluster-logs; the cluster folder is removed. */
function keepLogs(folder) {
  for (const name of ['balancer', 'node1', 'node2', 'node3', 'pg1', 'pg2', 'pg3']) {
    const logs = join(folder, name, 'log');
    if (existsSync(logs)) cpSync(logs, join(LOGS, name), { recursive: true });
  }
}
