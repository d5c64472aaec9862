import type { AuditResult } from '@krapao/server/src/ledger/index.ts';
import { COMPARED, medians, type Result } from './rounds.ts';

const NAME_WIDTH = 30;
const COLUMN_TITLES = ['in flight', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'table B', 'WAL B'];

/** Prints all figures (PostgreSQL's CPU and bytes per transfer), then the ratios. */
export function printReport(results: readonly Result[]): void {
  printRow('', COLUMN_TITLES);
  for (const result of results) {
    const { perSecond, p50Ms, p99Ms, cpuUs, tableBytes, walBytes } = medians(result);
    const figures = [result.inFlight, Math.round(perSecond), p50Ms.toFixed(2), p99Ms.toFixed(2)];
    printRow(result.name, [...figures, Math.round(cpuUs), Math.round(tableBytes), Math.round(walBytes)]);
  }
  printLine('');
  const rate = (name: string, inFlight: number): number => {
    const result = results.find((entry) => entry.name === name && entry.inFlight === inFlight);
    return result ? medians(result).perSecond : Number.NaN;
  };
  const ledger = rate('ledger in process', COMPARED);
  printRatio('ledger / hand-written, 64 in flight', ledger / rate('hand-written', COMPARED));
  printRatio('ledger / hand-written, one caller', rate('ledger in process', 1) / rate('hand-written', 1));
  printRatio('ledger / pgbench, 64 in flight', ledger / rate('pgbench', COMPARED));
  printRatio(
    'ledger through HTTP / pgbench, 64 in flight',
    rate('ledger through HTTP', COMPARED) / rate('pgbench', COMPARED),
  );
  printRatio('ledger, hot house / spread', rate('ledger in process, hot house', COMPARED) / ledger);
}

export function printAudits(audits: readonly AuditResult[]): void {
  printLine('\naudits afterwards');
  for (const { name, violations } of audits) printRow(violations === 0 ? 'right' : `${violations} WRONG`, [name]);
}

function printRatio(name: string, ratio: number): void {
  if (!Number.isNaN(ratio)) printLine(`${name.padEnd(44)} ${ratio.toFixed(2)}`);
}

function printRow(name: string, cells: readonly (string | number)[]): void {
  printLine(
    `${name.padEnd(NAME_WIDTH)} ${cells.map((cell) => (String(cell) === 'NaN' ? '' : String(cell)).padStart(10)).join(' ')}`,
  );
}

const printLine = (line: string): void => {
  process.stdout.write(`${line}\n`);
};
