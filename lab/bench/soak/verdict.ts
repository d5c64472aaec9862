import type { Sample } from './sample.ts';

export type Verdict = { measure: keyof Sample; first: number; last: number; isBounded: boolean };

/**
 * What may not grow at a steady load, and by how much from the second quarter of the run to the last: the first quarter fills
 * caches and pools. Databases and logs keep what happened, and simulators all of it in memory, so they are not judged.
 */
const BOUNDS: readonly { measure: keyof Sample; ratio: number; allowance: number }[] = [
  { measure: 'apiMb', ratio: 1.1, allowance: 20 },
  { measure: 'postgresMb', ratio: 1.25, allowance: 20 },
  { measure: 'connections', ratio: 1.1, allowance: 4 },
  { measure: 'files', ratio: 1.1, allowance: 10 },
  { measure: 'walMb', ratio: 1.5, allowance: 200 },
];

/** Compares the mean of the second quarter with that of the last. */
export function verdictOf(rows: readonly Sample[]): Verdict[] {
  const quarter = Math.max(1, Math.floor(rows.length / 4));
  const mean = (part: readonly Sample[], measure: keyof Sample): number =>
    part.reduce((sum, row) => sum + row[measure], 0) / Math.max(1, part.length);
  return BOUNDS.map(({ measure, ratio, allowance }) => {
    const first = mean(rows.slice(quarter, 2 * quarter), measure);
    const last = mean(rows.slice(-quarter), measure);
    return { measure, first, last, isBounded: last <= first * ratio + allowance };
  });
}
