const SECOND_MS = 1_000;
const DOUBLINGS = 7;
const LONG_PAUSE_MS = 5 * 60 * SECOND_MS;

// What silence means, for every way in and out. It is never taken for a no: a counterparty is asked until there is proof.

/** A resolver stops asking for the outcome of money outside after this long, and an operator decides. */
export const GIVE_UP_MS = 24 * 60 * 60 * SECOND_MS;
/** While a party outside is silent, one row of all that wait for it is asked about this often, as a probe. */
export const PROBE_SILENT_MS = 15 * SECOND_MS;
/**
 * A call begins within this time after its row announces it, or not at all; a login that has to come first is included.
 */
export const SEND_WITHIN_MS = 2 * SECOND_MS;
/** "There is no such thing" has to be answered this many times before it counts as proof. */
const ABSENCES_NEEDED = 2;

/** Back-off after the n-th question (from 1): 2, 4, 8 … 128 s, then 5 minutes. The first question is immediate. */
export const pauseAfter = (asks: number): number =>
  asks <= DOUBLINGS ? 2 ** Math.max(asks, 1) * SECOND_MS : LONG_PAUSE_MS;

/**
 * After this long an abandoned call can no longer take effect: twice the timeout, counted from its latest possible
 * start.
 */
export const settledAfterMs = (timeoutMs: number): number => 2 * timeoutMs + SEND_WITHIN_MS;

/** An attempt whose outcome is open; null: its call did not go out yet. */
type Asked = { sentAgoMs: number | null; absences: number };

/** Whether the call that got no answer can't be carried out any more. */
export const isSettled = ({ sentAgoMs }: Pick<Asked, 'sentAgoMs'>, timeoutMs: number): boolean =>
  (sentAgoMs ?? 0) > settledAfterMs(timeoutMs);

/** Whether one more "there is no such thing" proves that the call did nothing. */
export const isAbsenceProof = (asked: Asked, timeoutMs: number): boolean =>
  isSettled(asked, timeoutMs) && asked.absences + 1 >= ABSENCES_NEEDED;

/** Whether an attempt that was begun so long ago is an operator's. */
export const isGivenUp = (agoMs: number | null): boolean => (agoMs ?? 0) > GIVE_UP_MS;
