import { later, systemClock } from '../../src/platform/time.ts';

const DAY_MS = 24 * 60 * 60_000;

/**
 * Sets the clocks of the server and the simulators a day ahead of the database. For them, play that the ledger
 * dates today was yesterday, so that its losses can be refunded.
 */
export const CLOCK_AHEAD_ENVIRONMENT = {
  NODE_OPTIONS: `--import ${new URL('../../../tools/clock-ahead.mjs', import.meta.url).href}`,
  CLOCK_AHEAD_MS: String(DAY_MS),
};

/** The same in the test process. */
export const TOMORROW_CLOCK = { now: () => later(systemClock.now(), DAY_MS) };
