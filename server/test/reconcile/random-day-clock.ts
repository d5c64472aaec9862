import { later, systemClock } from '../../src/platform/time.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * For the programs of the day, ours and those of the outside: their clocks are a day ahead of the database. What the books
 * date today was played yesterday for them, so that its losses can be received back.
 */
export const AHEAD = {
  NODE_OPTIONS: `--import ${new URL('../../../tools/clock-ahead.mjs', import.meta.url).href}`,
  CLOCK_AHEAD_MS: String(DAY_MS),
};

/** The same in the process of the test. */
export const TOMORROW = { now: () => later(systemClock.now(), DAY_MS) };
