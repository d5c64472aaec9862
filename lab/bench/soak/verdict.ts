import type { Sample } from './sample.ts';

export type Verdict = { measure: keyof Sample; first: number; last: number; isBounded: boolean };

/**
 * Allowed growth from the second quarter of the run to the last; the first quarter fills caches and pools. Databases, logs and
 * simulators grow by design and are not judged.
 */
const GROWTH_BOUNDS: readonly { measure: keyof Sample; ratio: number; allowance: number }[] = [
  { measure: 'apiMb', ratio: 1.1, allowance: 20 },
  { measure: 'postgresMb', ratio: 1.25, allowance: 20 },
  { measure: 'connections', ratio: 1.1, allowance: 4 },
  { measure: 'files', ratio: 1.1, allowance: 10 },
  { measure: 'walMb', ratio: 1.5, allowance: 200 },
];

/** Compares the means of the second and the last quarter. */
export function verdictOf(rows: readonly Sample[]): Verdict[] {
  const quarter = Math.max(1, Math.floor(rows.length / 4));
  const meanOf = (range: readonly Sample[], measure: keyof Sample): number =>
    range.reduce((total, row) => total + row[measure], 0) / Math.max(1, range.length);
  return GROWTH_BOUNDS.map(({ measure, ratio, allowance }) => {
    const first = meanOf(rows.slice(quarter, 2 * quarter), measure);
    const last = meanOf(rows.slice(-quarter), measure);
    return { measure, first, last, isBounded: last <= first * ratio + allowance };
  });
}
