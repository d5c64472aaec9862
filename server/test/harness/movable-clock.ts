import { type Clock, later, systemClock } from '../../src/platform/time.ts';

/** The real time plus the duration that a test has advanced it by. */
export type MovableClock = Clock & { advance(ms: number): void };

export function movableClock(): MovableClock {
  let aheadMs = 0;
  return {
    now: () => later(systemClock.now(), aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
