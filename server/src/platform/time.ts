import { setTimeout as wait } from 'node:timers/promises';

/** The source of time. Code that depends on the time takes a clock, so that a test can move it. */
export type Clock = {
  /** The moment, in UTC. */
  now(): Date;
};

export const systemClock: Clock = { now: () => new Date() };

/** Monotonic milliseconds; for measuring durations, never for a date. */
export function monotonicMs(): number {
  return performance.now();
}

/** Waits; resolves early when the signal aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** The moment `ms` milliseconds after another. */
export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}

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
