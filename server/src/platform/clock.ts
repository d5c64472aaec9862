import { setTimeout as wait } from 'node:timers/promises';

/** Where the time comes from. Whoever acts by the time takes one, so that a test can move it. */
export type Clock = {
  /** The moment, in UTC. */
  now(): Date;
};

export const systemClock: Clock = { now: () => new Date() };

/** Milliseconds that only ever grow; for measuring how long something took, never for a date. */
export function monotonicMs(): number {
  return performance.now();
}

/** Waits; ends early and quietly when the signal is given. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal ? { signal } : {}).catch((error: unknown) => {
    if (!signal?.aborted) throw error;
  });
}

/** The moment `ms` milliseconds after another. */
export function later(moment: Date, ms: number): Date {
  return new Date(moment.getTime() + ms);
}
