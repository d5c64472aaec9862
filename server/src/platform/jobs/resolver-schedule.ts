const SECOND_MS = 1_000;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

/** Whoever asks what became of money outside gives up after this long, and an operator decides. */
export const GIVE_UP_MS = 24 * 60 * 60 * SECOND_MS;
/** Of all that wait for somebody outside who is silent, one is asked about this often, to see whether they are back. */
export const PROBE_SILENT_MS = 15 * SECOND_MS;
/** A call begins this soon after its row says so, or not at all; a login that must come first is part of it. */
export const SEND_WITHIN_MS = SECOND_MS;
/** "There is no such thing" must be heard this often. */
export const ABSENCES_NEEDED = 2;

/** Pause after the n-th question (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first question comes at once. */
export const pauseAfter = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/** After this long a call that was given up isn't carried out any more: twice the timeout, from when it began at the latest. */
export const settledAfterMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;
