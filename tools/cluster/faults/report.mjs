import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../install.mjs';

const WIDTHS = [24, 8, 14, 8];

/** The table: number, longest gap and 503s of each kind of fault. */
export function tableOf(rows, outsideCounts) {
  const groups = Object.entries(Object.groupBy(rows, ({ kind }) => kind));
  const line = (...cells) =>
    cells
      .map((cell, index) => (index === 0 ? cell.padEnd(WIDTHS[index]) : String(cell).padStart(WIDTHS[index])))
      .join('');
  return [
    line('fault', 'number', 'longest gap', '503s'),
    ...groups.map(([kind, group]) => {
      const gap = Math.max(...group.map(({ gapMs }) => gapMs));
      const unavailable = group.reduce((sum, row) => sum + row.unavailable, 0);
      return line(kind, group.length, `${(gap / 1_000).toFixed(1)} s`, unavailable);
    }),
    ...[...outsideCounts].map(([kind, count]) => line(kind.replace('counterparty', 'outside:'), count, '', '')),
  ].join('\n');
}

export function writeReport(report) {
  mkdirSync(join(ROOT, 'reports'), { recursive: true });
  writeFileSync(join(ROOT, 'reports/cluster.json'), `${JSON.stringify(report, null, 2)}\n`);
}
