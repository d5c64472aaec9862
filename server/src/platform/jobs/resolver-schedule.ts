const SECOND_MS = 1_000;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

/** A resolver stops asking for the outcome of money outside after this long, and an operator decides. */
export const GIVE_UP_MS = 24 * 60 * 60 * SECOND_MS;
/** While a party outside is silent, one row of all that wait for it is asked about this often, as a probe. */
export const PROBE_SILENT_MS = 15 * SECOND_MS;
/**
 * A call begins within this time after its row announces it, or not at all; a login that has to come first is included.
 */
export const SEND_WITHIN_MS = SECOND_MS;
/** "There is no such thing" has to be answered this many times before it counts as proof. */
export const ABSENCES_NEEDED = 2;

/** Back-off after the n-th question (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first question is immediate. */
export const pauseAfter = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/**
 * After this long an abandoned call can no longer take effect: twice the timeout, counted from its latest possible
 * start.
 */
export const settledAfterMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;
