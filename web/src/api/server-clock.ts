/** How far the phone's clock is behind the server's, in ms, as the last answer told. */
let behindMs = 0;

/** A second is the resolution of the header; less than two is not worth correcting. */
const TOLERANCE_MS = 2_000;

/** Reads the Date header of an answer. */
export function noteServerTime(date: string | null): void {
  const told = Date.parse(date ?? '');
  if (Number.isNaN(told)) return;
  const difference = told - Date.now();
  behindMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** The server's time; its deadlines are measured by it, because phones' clocks are often wrong. */
export const serverNow = (): number => Date.now() + behindMs;
