import { appendFileSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../../tools/install.mjs';
import { KINDS } from './kinds/kinds.mjs';

const FIRST_COMMAND_TIMEOUT_MS = 30_000;
const REPORTS_FOLDER = join(ROOT, 'reports');
const LOGS_FOLDER = join(REPORTS_FOLDER, 'cluster-logs');
const COLUMN_WIDTHS = [28, 8, 14, 10];

/** Faults that were not injected or healed, and leader failures with a late first money command. */
export function violationsOf(rows) {
  const slowRows = rows.filter(({ kind, gapMs }) => KINDS[kind]?.leaderDies && gapMs > FIRST_COMMAND_TIMEOUT_MS);
  return [
    ...rows.filter(({ error }) => error).map(({ kind, error }) => `${kind}: ${error}`),
    ...slowRows.map(({ kind, gapMs }) => `${kind}: first money command after ${(gapMs / 1_000).toFixed(1)} s`),
  ];
}

/** Table of count, longest gap and 503s per kind of fault; the gap is empty if faults of other groups overlapped. */
export function tableOf(rows, outsideFaults) {
  const rowsByKind = Object.entries(Object.groupBy(rows, ({ kind }) => kind));
  const formatLine = (...cells) =>
    cells
      .map((cell, index) =>
        index === 0 ? cell.padEnd(COLUMN_WIDTHS[index]) : String(cell).padStart(COLUMN_WIDTHS[index]),
      )
      .join('')
      .trimEnd();
  return [
    formatLine('fault', 'number', 'longest gap', '503s'),
    ...rowsByKind.map(([kind, group]) => {
      const gaps = group.map(({ gapMs }) => gapMs).filter((gap) => gap !== undefined);
      const unavailable = group.reduce((total, row) => total + row.unavailable, 0);
      const gapText = gaps.length === 0 ? '' : `${(Math.max(...gaps) / 1_000).toFixed(1)} s`;
      return formatLine(kind, group.length, gapText, unavailable);
    }),
    ...Object.entries(outsideFaults).map(([kind, count]) => formatLine(`outside: ${kind}`, count)),
  ].join('\n');
}

/** Totals. `keys`: commands with a kept reply or an unknown outcome, each compared on all nodes. */
export function totalsOf({ options, older, seconds, rows, load, outside, proof }) {
  const sumOf = (counts) => Object.values(counts).reduce((total, count) => total + count, 0);
  const commands = Object.fromEntries([...load.sent].toSorted(([first], [second]) => (first < second ? -1 : 1)));
  return {
    seed: options.seed,
    seconds,
    olderVersion: older?.commit,
    moneyCommands: sumOf(commands),
    commands,
    keys: load.records.length,
    calls: load.calls,
    copies: load.copies,
    reads: load.reads,
    repliesCompared: proof.compared,
    statuses: Object.fromEntries([...load.statuses].toSorted(([first], [second]) => first - second)),
    clusterFaults: rows.length,
    outsideFaults: sumOf(outside.counts),
    outsideFaultsWithoutCall: outside.unmet,
  };
}

/** Writes the report, appends the totals to those of earlier runs, and keeps the logs of a run with violations. */
export function writeReport({ totals, rows, outside, proof, violations, folder }) {
  const { differences, books, audit, reconcile } = proof;
  const differenceCounts = { differentBooks: books.length, differentReplies: differences.length };
  mkdirSync(REPORTS_FOLDER, { recursive: true });
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
  writeFileSync(join(REPORTS_FOLDER, 'cluster.json'), `${JSON.stringify(report, null, 2)}\n`);
  const run = { at: new Date().toISOString(), ...totals, ...differenceCounts, violations: violations.length };
  appendFileSync(join(REPORTS_FOLDER, 'cluster-runs.jsonl'), `${JSON.stringify(run)}\n`);
  rmSync(LOGS_FOLDER, { recursive: true, force: true });
  if (violations.length > 0) keepLogs(folder);
}

/** Copies the logs of all machines to reports/cluster-logs; the cluster folder is removed. */
function keepLogs(folder) {
  for (const name of ['balancer', 'node1', 'node2', 'node3', 'pg1', 'pg2', 'pg3']) {
    const logFolder = join(folder, name, 'log');
    if (existsSync(logFolder)) cpSync(logFolder, join(LOGS_FOLDER, name), { recursive: true });
  }
}
