import { setTimeout as wait } from 'node:timers/promises';

/** The source of time. Code that depends on the time takes a clock, so that a test can set it. */
export type Clock = {
  /** The current time, in UTC. */
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

/** The time `ms` milliseconds after `moment`. */
export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}

const BANGKOK_OFFSET_MS = 7 * 3_600_000;
export const DAY_MS = 86_400_000;
// Weekday of 1 January 1970, a Thursday: 3 days after Monday.
const EPOCH_WEEKDAY = 3;

/** Start of the day in Asia/Bangkok, which has no summer time. */
export function dayStart(moment: Date): Date {
  return new Date(dayNumberOf(moment) * DAY_MS - BANGKOK_OFFSET_MS);
}

/** Start of the week in Asia/Bangkok: Monday. */
export function weekStart(moment: Date): Date {
  const dayNumber = dayNumberOf(moment);
  return new Date((dayNumber - ((dayNumber + EPOCH_WEEKDAY) % 7)) * DAY_MS - BANGKOK_OFFSET_MS);
}

/** Date in Asia/Bangkok as YYYY-MM-DD. */
export const dateOf = (moment: Date): string => later(moment, BANGKOK_OFFSET_MS).toISOString().slice(0, 10);

/** Date and time in Asia/Bangkok for operators: YYYY-MM-DD HH:mm:ss+07:00. */
export const timeOf = (moment: Date): string =>
  `${later(moment, BANGKOK_OFFSET_MS).toISOString().slice(0, 19).replace('T', ' ')}+07:00`;

const dayNumberOf = (moment: Date): number => Math.floor((moment.getTime() + BANGKOK_OFFSET_MS) / DAY_MS);
