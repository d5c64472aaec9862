import type { Visit } from '../../../e2e/support/slow-visit.ts';

/** The figures of one address. */
export type Figures = { name: string; isAfter: boolean; visit: Visit };

/** Upper limits, in ms but for the shift. `largest` is that of home. */
const aims = { first: 1_600, largest: 3_000, largestWithWorker: 1_200, longestTask: 150, shift: 0.02 };

const middle = (values: readonly number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

/** The middle of each figure by itself; the largest paint is named as in the last visit. */
export function middleOf(visits: readonly Visit[]): Visit {
  const of = (name: Exclude<keyof Visit, 'largestIs'>): number => middle(visits.map((visit) => visit[name]));
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

const line = (name: string, cells: readonly (string | number)[], rest = ''): void =>
  void process.stdout.write(`${name.padEnd(38)}${cells.map((cell) => String(cell).padStart(10)).join('')}  ${rest}\n`);

export const printHead = (): void => line('ms', ['first', 'largest', 'task', 'shift', 'INP', 'requests'], 'largest is');

export function printVisit({ name, visit }: Figures): void {
  const { first, largest, longestTask, shift, press, requests, largestIs } = visit;
  const times = [first, largest, longestTask].map(Math.round);
  line(name, [...times, shift.toFixed(4), Math.round(press), requests], largestIs);
}

/** Compares the worst address with each aim. */
export function printAims(figures: readonly Figures[]): void {
  const now = figures.filter(({ isAfter }) => isAfter);
  const home = now.filter(({ name }) => name.startsWith('/user/home member'));
  const [cold, withWorker] = [false, true].map((isWorker) =>
    home.filter(({ name }) => name.includes('worker') === isWorker).map(({ visit }) => visit.largest),
  );
  const all = (key: 'first' | 'longestTask' | 'shift'): number[] => now.map(({ visit }) => visit[key]);
  process.stdout.write('\n');
  for (const [what, values, aim] of [
    ['first paint of every address', all('first'), aims.first],
    ['largest paint of home, cold', cold ?? [], aims.largest],
    ['largest paint of home, service worker', withWorker ?? [], aims.largestWithWorker],
    ['longest task', all('longestTask'), aims.longestTask],
    ['layout shift', all('shift'), aims.shift],
  ] as const) {
    if (values.length === 0) continue;
    const worst = Math.max(...values);
    const shown = aim < 1 ? worst.toFixed(4) : Math.round(worst);
    line(what, [shown, `of ${aim}`, worst <= aim ? 'ok' : 'NOT YET']);
  }
}
