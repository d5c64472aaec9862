import { planRotation } from './rotation.ts';

/** Drawn back a little while the server is asked, as a hand does before it releases. */
const WOUND_DEGREES = -7;
const WIND_MS = 260;
const FADE_MS = 220;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
const rotated = (degrees: number): string => `rotate(${degrees}deg)`;
/** Resolves at the end of an animation, also when it is cancelled because the page was left. */
const ended = (animation: Animation | undefined): Promise<unknown> =>
  animation?.finished.catch(() => undefined) ?? Promise.resolve();

export type WheelMotion = {
  /** Shows that the wheel has been taken hold of. */
  wind: () => void;
  /** Releases it without a spin. */
  release: () => void;
  /** Turns it until a slice is under the pointer; with a short fade for who wants no motion. */
  rotateTo: (slice: number, count: number) => Promise<void>;
};

/** Turns an element by its transform alone, so that the compositor does it. */
export function wheelMotionOf(wheel: HTMLElement): WheelMotion {
  let stand = 0;
  let winding: Animation | undefined;

  const letGo = (): number => {
    const held = winding ? WOUND_DEGREES : 0;
    winding?.cancel();
    winding = undefined;
    return stand + held;
  };
  const turn = (from: number, to: number, timing: KeyframeAnimationOptions): Animation =>
    wheel.animate({ transform: [rotated(from), rotated(to)] }, timing);

  return {
    wind() {
      if (isStill() || winding) return;
      winding = turn(stand, stand + WOUND_DEGREES, { duration: WIND_MS, easing: 'ease-out', fill: 'forwards' });
    },
    release() {
      if (winding) turn(letGo(), stand, { duration: WIND_MS, easing: 'ease-out' });
    },
    async rotateTo(slice, count) {
      await ended(winding);
      const from = letGo();
      const { degrees, durationMs, easing } = planRotation(from, slice, count);
      stand = (from + degrees) % 360;
      wheel.style.transform = rotated(stand);
      await ended(
        isStill()
          ? wheel.animate({ opacity: [0.2, 1] }, { duration: FADE_MS, easing: 'ease-out' })
          : turn(from, from + degrees, { duration: durationMs, easing }),
      );
    },
  };
}
