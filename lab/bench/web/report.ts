import type { VisitMeasurements } from '../../../e2e/support/slow-visit.ts';

/** The figures of one page. */
export type Figures = { name: string; isAfter: boolean; visit: VisitMeasurements };

/** Upper limits in ms, except the shift. `largest` applies to home. */
const upperLimits = { first: 1_600, largest: 3_000, largestWithWorker: 1_200, longestTask: 150, shift: 0.02 };

const median = (values: readonly number[]): number =>
  values.toSorted((first, second) => first - second)[values.length >> 1] ?? 0;

/** Median of each figure; the element of the largest paint is that of the last visit. */
export function mediansOf(visits: readonly VisitMeasurements[]): VisitMeasurements {
  const medianOfKey = (name: Exclude<keyof VisitMeasurements, 'largestIs'>): number =>
    median(visits.map((visit) => visit[name]));
  return {
    first: medianOfKey('first'),
    largest: medianOfKey('largest'),
    largestIs: visits.at(-1)?.largestIs ?? '',
    longestTask: medianOfKey('longestTask'),
    shift: medianOfKey('shift'),
    press: medianOfKey('press'),
    requests: medianOfKey('requests'),
  };
}

const printRow = (name: string, cells: readonly (string | number)[], remark = ''): void =>
  void process.stdout.write(
    `${name.padEnd(38)}${cells.map((cell) => String(cell).padStart(10)).join('')}  ${remark}\n`,
  );

export const printHead = (): void =>
  printRow('ms', ['first', 'largest', 'task', 'shift', 'INP', 'requests'], 'largest is');

export function printVisit({ name, visit }: Figures): void {
  const { first, largest, longestTask, shift, press, requests, largestIs } = visit;
  const times = [first, largest, longestTask].map(Math.round);
  printRow(name, [...times, shift.toFixed(4), Math.round(press), requests], largestIs);
}

/** Compares the worst page with each aim. */
export function printAims(figures: readonly Figures[]): void {
  const now = figures.filter(({ isAfter }) => isAfter);
  const homeVisits = now.filter(({ name }) => name.startsWith('/user/home member'));
  const [coldLargest, workerLargest] = [false, true].map((isWorker) =>
    homeVisits.filter(({ name }) => name.includes('worker') === isWorker).map(({ visit }) => visit.largest),
  );
  const valuesOf = (key: 'first' | 'longestTask' | 'shift'): number[] => now.map(({ visit }) => visit[key]);
  process.stdout.write('\n');
  for (const [label, values, upperLimit] of [
    ['first paint of every address', valuesOf('first'), upperLimits.first],
    ['largest paint of home, cold', coldLargest ?? [], upperLimits.largest],
    ['largest paint of home, service worker', workerLargest ?? [], upperLimits.largestWithWorker],
    ['longest task', valuesOf('longestTask'), upperLimits.longestTask],
    ['layout shift', valuesOf('shift'), upperLimits.shift],
  ] as const) {
    if (values.length === 0) continue;
    const worstValue = Math.max(...values);
    const worstText = upperLimit < 1 ? worstValue.toFixed(4) : Math.round(worstValue);
    printRow(label, [worstText, `of ${upperLimit}`, worstValue <= upperLimit ? 'ok' : 'missed']);
  }
}
