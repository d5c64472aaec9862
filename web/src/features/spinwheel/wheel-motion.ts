/** Backward rotation while waiting for the server, in degrees. */
const WOUND_DEGREES = -7;
const WIND_MS = 260;
const FADE_MS = 220;

const isStill = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
const rotated = (degrees: number): string => `rotate(${degrees}deg)`;
/** Resolves at the end of an animation, also when leaving the page cancels it. */
const ended = (animation: Animation | undefined): Promise<unknown> =>
  animation?.finished.catch(() => undefined) ?? Promise.resolve();

export type WheelMotion = {
  /** Shows that the spin has started. */
  wind: () => void;
  /** Releases it without a spin. */
  release: () => void;
  /** Rotates until a slice is under the pointer; with reduced motion only fades. */
  rotateTo: (slice: number, count: number) => Promise<void>;
};

/** Rotates an element by its transform alone, on the compositor. */
export function wheelMotion(wheel: HTMLElement): WheelMotion {
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

/** Rotation and stop of the wheel: angles in degrees, clockwise; slice 0 starts under the pointer. */

/** Share of the speed that remains after each 60th of a second. */
const FRICTION = 0.991;
const FRAMES_PER_MS = 60 / 1_000;
const EXTRA_TURNS = { least: 2, most: 3 };
const TURN_MS = { least: 4_000, most: 5_000 };
const TURN_SHARE = 0.1;
/** Minimum distance from an edge as a share of the slice: the result must be unambiguous. */
const EDGE_SHARE = 0.15;

export type Rotation = {
  /** At least two full turns from the current angle. */
  degrees: number;
  durationMs: number;
  /** CSS easing: starts at the speed implied by friction and ends at rest. */
  easing: string;
};

/** The slice under the pointer. @param degrees total rotation of the wheel */
export function sliceAt(degrees: number, count: number): number {
  const within = ((-degrees % 360) + 360) % 360;
  return Math.floor((within * count) / 360);
}

/**
 * A rotation that ends inside a slice.
 * @param from current angle
 * @param random uniform from 0 up to 1; affects the look of the rotation, never the slice
 */
export function planRotation(from: number, slice: number, count: number, random: () => number = Math.random): Rotation {
  const extra = EXTRA_TURNS.least + Math.floor(random() * (EXTRA_TURNS.most - EXTRA_TURNS.least + 1));
  const inside = EDGE_SHARE + random() * (1 - 2 * EDGE_SHARE);
  const target = -((slice + inside) * 360) / count;
  const rest = (((target - from) % 360) + 360) % 360;
  const durationMs = (TURN_MS.least + random() * (TURN_MS.most - TURN_MS.least)) * extra * TURN_SHARE;
  return { degrees: extra * 360 + rest, durationMs, easing: easingOf(durationMs) };
}

/** With friction over this time the initial speed exceeds the mean by this factor: the initial slope of the curve. */
function easingOf(durationMs: number): string {
  const slowing = -Math.log(FRICTION) * FRAMES_PER_MS * durationMs;
  const slope = slowing / (1 - Math.exp(-slowing));
  return `cubic-bezier(0.3, ${(0.3 * slope).toFixed(3)}, 0.35, 1)`;
}
