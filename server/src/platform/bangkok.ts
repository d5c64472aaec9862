import { later } from './clock.ts';

const OFFSET_MS = 7 * 3_600_000;
export const DAY_MS = 86_400_000;
// 1 January 1970 was a Thursday: three days after a Monday.
const THURSDAY = 3;

/** Start of the day of a moment in Asia/Bangkok, which has no summer time. */
export function dayStart(moment: Date): Date {
  return new Date(dayOf(moment) * DAY_MS - OFFSET_MS);
}

/** Start of its week: Monday. */
export function weekStart(moment: Date): Date {
  const day = dayOf(moment);
  return new Date((day - ((day + THURSDAY) % 7)) * DAY_MS - OFFSET_MS);
}

/** Its date there as YYYY-MM-DD. */
export const dateOf = (moment: Date): string => later(moment, OFFSET_MS).toISOString().slice(0, 10);

/** Date and time there, as operators read them: YYYY-MM-DD HH:mm:ss. */
export const timeOf = (moment: Date): string => later(moment, OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ');

const dayOf = (moment: Date): number => Math.floor((moment.getTime() + OFFSET_MS) / DAY_MS);
