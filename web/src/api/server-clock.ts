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

/** What time the server thinks it is: what deadlines that it sets are measured by. Phones' clocks are often wrong. */
export const serverNow = (): number => Date.now() + behindMs;
