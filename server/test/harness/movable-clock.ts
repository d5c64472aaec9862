import { type Clock, later, systemClock } from '../../src/platform/time.ts';

/** A clock that goes like the real one, ahead of it by what a test has advanced it. */
export type MovableClock = Clock & { advance(ms: number): void };

export function movableClock(): MovableClock {
  let ahead = 0;
  return {
    now: () => later(systemClock.now(), ahead),
    advance: (ms) => {
      ahead += ms;
    },
  };
}
