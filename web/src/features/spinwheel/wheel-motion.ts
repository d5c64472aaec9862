/** Rotation backward while the server's reply is pending, in degrees. */
const WIND_BACK_DEGREES = -7;
const WIND_BACK_MS = 260;
const FADE_MS = 220;

const isReducedMotion = (): boolean => matchMedia('(prefers-reduced-motion: reduce)').matches;
const rotateCss = (degrees: number): string => `rotate(${degrees}deg)`;
/** Resolves when an animation ends, also if leaving the page cancels it. */
const animationEnd = (animation: Animation | undefined): Promise<unknown> =>
  animation?.finished.catch(() => undefined) ?? Promise.resolve();

export type WheelMotion = {
  /** Rotates backward to show that the spin has started. */
  wind: () => void;
  /** Rotates back to the resting position without a spin. */
  release: () => void;
  /** Rotates until a slice is under the pointer. With reduced motion the wheel only fades. */
  rotateTo: (slice: number, count: number) => Promise<void>;
  /** Ends a running rotation on its slice. */
  skip: () => void;
};

/** Rotates an element by its transform only, so that the compositor runs the animation. */
export function wheelMotion(wheel: HTMLElement): WheelMotion {
  let currentDegrees = 0;
  let windAnimation: Animation | undefined;
  let spinAnimation: Animation | undefined;
  /** A press may come while the wheel still winds back. */
  let isSkipped = false;

  const stopWinding = (): number => {
    const windDegrees = windAnimation ? WIND_BACK_DEGREES : 0;
    windAnimation?.cancel();
    windAnimation = undefined;
    return currentDegrees + windDegrees;
  };
  const animateRotation = (fromDegrees: number, toDegrees: number, timing: KeyframeAnimationOptions): Animation =>
    wheel.animate({ transform: [rotateCss(fromDegrees), rotateCss(toDegrees)] }, timing);

  return {
    wind() {
      isSkipped = false;
      if (isReducedMotion() || windAnimation) return;
      windAnimation = animateRotation(currentDegrees, currentDegrees + WIND_BACK_DEGREES, {
        duration: WIND_BACK_MS,
        easing: 'ease-out',
        fill: 'forwards',
      });
    },
    release() {
      if (windAnimation) animateRotation(stopWinding(), currentDegrees, { duration: WIND_BACK_MS, easing: 'ease-out' });
    },
    async rotateTo(slice, count) {
      await animationEnd(windAnimation);
      const fromDegrees = stopWinding();
      const { degrees, durationMs, easing } = planRotation(fromDegrees, slice, count);
      currentDegrees = (fromDegrees + degrees) % 360;
      wheel.style.transform = rotateCss(currentDegrees);
      spinAnimation = isReducedMotion()
        ? wheel.animate({ opacity: [0.2, 1] }, { duration: FADE_MS, easing: 'ease-out' })
        : animateRotation(fromDegrees, fromDegrees + degrees, { duration: durationMs, easing });
      if (isSkipped) spinAnimation.finish();
      await animationEnd(spinAnimation);
      spinAnimation = undefined;
      isSkipped = false;
    },
    skip() {
      isSkipped = true;
      windAnimation?.finish();
      spinAnimation?.finish();
    },
  };
}

/** Plans the rotation of the wheel. Angles are in degrees, clockwise; slice 0 starts under the pointer. */

/** Share of the speed that remains after each frame of 1/60 s. */
const SPEED_PER_FRAME = 0.991;
const FRAMES_PER_MS = 60 / 1_000;
const EXTRA_TURNS = { min: 2, most: 3 };
/** Long enough for suspense; a press skips the rest. */
const DURATION_MS = { least: 3_000, most: 4_000 };
/** Minimum distance of the pointer from an edge, as a share of the slice, so that the result is unambiguous. */
const EDGE_DISTANCE_SHARE = 0.15;

export type Rotation = {
  /** Rotation from the current angle; at least two full turns. */
  degrees: number;
  durationMs: number;
  /** CSS easing whose initial speed follows from friction and which ends at rest. */
  easing: string;
};

/** Index of the slice under the pointer. @param degrees total rotation of the wheel */
export function sliceAt(degrees: number, count: number): number {
  const degreesInTurn = ((-degrees % 360) + 360) % 360;
  return Math.floor((degreesInTurn * count) / 360);
}

/**
 * Plans a rotation that ends inside a slice.
 * @param fromDegrees current angle
 * @param random uniform from 0 up to 1; affects the look of the rotation, never the slice
 */
export function planRotation(
  fromDegrees: number,
  slice: number,
  count: number,
  random: () => number = Math.random,
): Rotation {
  const extraTurns = EXTRA_TURNS.min + Math.floor(random() * (EXTRA_TURNS.most - EXTRA_TURNS.min + 1));
  const shareInSlice = EDGE_DISTANCE_SHARE + random() * (1 - 2 * EDGE_DISTANCE_SHARE);
  const targetDegrees = -((slice + shareInSlice) * 360) / count;
  const remainingDegrees = (((targetDegrees - fromDegrees) % 360) + 360) % 360;
  const durationMs = DURATION_MS.least + random() * (DURATION_MS.most - DURATION_MS.least);
  return { degrees: extraTurns * 360 + remainingDegrees, durationMs, easing: easingOf(durationMs) };
}

/**
 * CSS easing for a duration. With friction the initial speed exceeds the mean speed by a factor, which is the initial
 * slope of the curve.
 */
function easingOf(durationMs: number): string {
  const slowdown = -Math.log(SPEED_PER_FRAME) * FRAMES_PER_MS * durationMs;
  const initialSlope = slowdown / (1 - Math.exp(-slowdown));
  return `cubic-bezier(0.3, ${(0.3 * initialSlope).toFixed(3)}, 0.35, 1)`;
}
