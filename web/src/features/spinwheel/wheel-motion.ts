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

/** How the wheel rotates and where it stops: angles in degrees, clockwise; slice 0 begins under the pointer at rest. */

/** What a wheel keeps of its speed from one 60th of a second to the next. */
const FRICTION = 0.991;
const FRAMES_PER_MS = 60 / 1_000;
const EXTRA_TURNS = { least: 2, most: 3 };
const TURN_MS = { least: 4_000, most: 5_000 };
const TURN_SHARE = 0.1;
/** It never stops nearer to an edge than this share of the slice: the slice must be unambiguous. */
const EDGE_SHARE = 0.15;

export type Rotation = {
  /** From where it stands, at least two full rotations on. */
  degrees: number;
  durationMs: number;
  /** For CSS: begins at the speed that friction asks for, and comes to rest. */
  easing: string;
};

/** The slice under the pointer. @param degrees how far the wheel has been rotated in all */
export function sliceAt(degrees: number, count: number): number {
  const within = ((-degrees % 360) + 360) % 360;
  return Math.floor((within * count) / 360);
}

/**
 * A turn that ends on a slice, somewhere inside it.
 * @param from where the wheel stands
 * @param random evenly from 0 up to 1; what it decides is how the turn looks, never where it ends
 */
export function planRotation(from: number, slice: number, count: number, random: () => number = Math.random): Rotation {
  const extra = EXTRA_TURNS.least + Math.floor(random() * (EXTRA_TURNS.most - EXTRA_TURNS.least + 1));
  const inside = EDGE_SHARE + random() * (1 - 2 * EDGE_SHARE);
  const target = -((slice + inside) * 360) / count;
  const rest = (((target - from) % 360) + 360) % 360;
  const durationMs = (TURN_MS.least + random() * (TURN_MS.most - TURN_MS.least)) * extra * TURN_SHARE;
  return { degrees: extra * 360 + rest, durationMs, easing: easingOf(durationMs) };
}

/** A wheel that friction slows over this time starts so much faster than its mean speed: the slope that the curve begins with. */
function easingOf(durationMs: number): string {
  const slowing = -Math.log(FRICTION) * FRAMES_PER_MS * durationMs;
  const slope = slowing / (1 - Math.exp(-slowing));
  return `cubic-bezier(0.3, ${(0.3 * slope).toFixed(3)}, 0.35, 1)`;
}
