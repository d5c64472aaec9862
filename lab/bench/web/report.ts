import type { Visit } from '../../../e2e/support/slow-visit.ts';

/** The figures of one page. */
export type Figures = { name: string; isAfter: boolean; visit: Visit };

/** Upper limits in ms, except the shift. `largest` applies to home. */
const aims = { first: 1_600, largest: 3_000, largestWithWorker: 1_200, longestTask: 150, shift: 0.02 };

const median = (values: readonly number[]): number =>
  values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;

/** Median of each figure; the element of the largest paint is that of the last visit. */
export function mediansOf(visits: readonly Visit[]): Visit {
  const of = (name: Exclude<keyof Visit, 'largestIs'>): number => median(visits.map((visit) => visit[name]));
  return {
    first: of('first'),
    largest: of('largest'),
    largestIs: visits.at(-1)?.largestIs ?? '',
    longestTask: of('longestTask'),
    shift: of('shift'),
    press: of('press'),
    requests: of('requests'),
  };
}

const row = (name: string, cells: readonly (string | number)[], rest = ''): void =>
  void process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => String(cell).padStart(10)).join('')}  ${rest}\n`);

export const printHead = (): void => row('ms', ['first', 'largest', 'task', 'shift', 'INP', 'requests'], 'largest is');

export function printVisit({ name, visit }: Figures): void {
  const { first, largest, longestTask, shift, press, requests, largestIs } = visit;
  const times = [first, largest, longestTask].map(Math.round);
  row(name, [...times, shift.toFixed(4), Math.round(press), requests], largestIs);
}

/** Compares the worst page with each aim. */
export function printAims(figures: readonly Figures[]): void {
  const now = figures.filter(({ isAfter }) => isAfter);
  const home = now.filter(({ name }) => name.startsWith('/user/home member'));
  const [cold, withWorker] = [false, true].map((isWorker) =>
    home.filter(({ name }) => name.includes('worker') === isWorker).map(({ visit }) => visit.largest),
  );
  const all = (key: 'first' | 'longestTask' | 'shift'): number[] => now.map(({ visit }) => visit[key]);
  process.stdout.write('\n');
  for (const [label, values, aim] of [
    ['first paint of every address', all('first'), aims.first],
    ['largest paint of home, cold', cold ?? [], aims.largest],
    ['largest paint of home, service worker', withWorker ?? [], aims.largestWithWorker],
    ['longest task', all('longestTask'), aims.longestTask],
    ['layout shift', all('shift'), aims.shift],
  ] as const) {
    if (values.length === 0) continue;
    const worst = Math.max(...values);
    const shown = aim < 1 ? worst.toFixed(4) : Math.round(worst);
    row(label, [shown, `of ${aim}`, worst <= aim ? 'ok' : 'missed']);
  }
}
