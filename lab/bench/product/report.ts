import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { dirname } from 'node:path';
import type { Options } from './options.ts';
import type { Result, Run } from './rounds.ts';

type Column = { title: string; width: number; of: (result: Result, run: Run) => string };

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
const oneDecimal = (value: number): string => value.toFixed(1);

const COLUMNS: readonly Column[] = [
  { title: 'per second', width: 10, of: ({ figures }) => oneDecimal(figures.perSecond) },
  {
    title: '/ double entry',
    width: 14,
    of: ({ figures }, { doubleEntry }) =>
      doubleEntry === undefined ? '-' : (figures.perSecond / doubleEntry.perSecond).toFixed(3),
  },
  { title: 'p50 ms', width: 8, of: ({ figures }) => oneDecimal(figures.p50Ms) },
  { title: 'p99 ms', width: 8, of: ({ figures }) => oneDecimal(figures.p99Ms) },
  { title: 'API ms', width: 7, of: ({ figures }) => ms(figures.apiMs) },
  { title: 'PG ms', width: 7, of: ({ figures }) => ms(figures.postgresMs) },
  { title: 'sims ms', width: 7, of: ({ figures }) => ms(figures.simulatorsMs) },
  { title: 'stmts', width: 6, of: ({ figures }) => oneDecimal(figures.statements) },
  { title: 'unnamed', width: 7, of: ({ figures }) => oneDecimal(figures.unnamed) },
  { title: 'commits', width: 7, of: ({ figures }) => oneDecimal(figures.commits) },
  { title: 'WAL B', width: 7, of: ({ figures }) => String(Math.round(figures.walBytes)) },
];

/** Table of medians of the rounds; CPU, statements, commits and WAL per command. */
export function formatTable(run: Run): string {
  const trees = new Set(run.results.map(({ tree }) => tree));
  const labelOf = ({ command, tree }: Result): string => (trees.size > 1 ? `${command} (${tree})` : command);
  const width = Math.max(...run.results.map((result) => labelOf(result).length));
  const formatRow = (name: string, cells: string[]): string =>
    [name.padEnd(width), ...cells.map((cell, index) => cell.padStart(COLUMNS[index]?.width ?? 0))].join('  ');
  return [
    formatRow(
      '',
      COLUMNS.map(({ title }) => title),
    ),
    ...run.results.map((result) =>
      formatRow(
        labelOf(result),
        COLUMNS.map(({ of }) => of(result, run)),
      ),
    ),
    '',
    ...(run.doubleEntry === undefined ? [] : [doubleEntryRow(run.doubleEntry)]),
    ...run.idle.map(
      ({ tree, counted }) =>
        `idle (${tree}), per second: ${oneDecimal(counted.statements)} statements, ${oneDecimal(counted.unnamed)} unnamed, ${oneDecimal(counted.commits)} commits`,
    ),
  ].join('\n');
}

const doubleEntryRow = ({ driver, perSecond, rounds }: NonNullable<Run['doubleEntry']>): string =>
  `double entry (${driver}): ${oneDecimal(perSecond)} per second (rounds: ${rounds.map(oneDecimal).join(', ')})`;

/** Statements of each command: calls and ms per command, prepared name, beginning of the text. */
export function formatStatements(run: Run): string {
  return run.results
    .flatMap(({ command, tree, figures }) => [
      `\n${command} (${tree})`,
      ...figures.list.map(
        ({ calls, ms: durationMs, name, text }) =>
          `${calls.toFixed(2).padStart(7)} ${durationMs.toFixed(2).padStart(6)} ms  ${name === '' ? '-' : name}: ${text}`,
      ),
    ])
    .join('\n');
}

/** Writes all figures with machine, date and options. @param roots folders of the trees */
export function writeReport(options: Options, run: Run, roots: Readonly<Record<string, string>>): void {
  const report = {
    at: new Date().toISOString(),
    machine: { cpu: cpus()[0]?.model ?? '', cores: cpus().length, node: process.version, load: loadavg() },
    options,
    trees: Object.fromEntries(Object.entries(roots).map(([name, root]) => [name, { root, commit: commitOf(root) }])),
    ...run,
  };
  mkdirSync(dirname(options.output), { recursive: true });
  writeFileSync(options.output, `${JSON.stringify(report, null, 2)}\n`);
}

function commitOf(root: string): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty'], { cwd: root, encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}
