/** Units of relative time, in seconds, largest first. */
const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

export type RelativeUnit = (typeof UNITS)[number][0];
export type Relative = { unit: RelativeUnit; count: number } | { unit: 'now'; count: 0 };

/**
 * How long ago something was, in the largest unit that fits once; `now` below a minute and for the future.
 * @param at milliseconds · @param now milliseconds
 */
export function relativeTime(at: number, now: number): Relative {
  const seconds = (now - at) / 1000;
  for (const [unit, length] of UNITS) {
    if (seconds >= length) return { unit, count: Math.floor(seconds / length) };
  }
  return { unit: 'now', count: 0 };
}
