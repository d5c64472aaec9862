import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fontsReady } from '../../browser/fonts-ready.ts';
import { formatNumber } from '../../format/number.ts';
import { currentLanguage } from '../../i18n/i18n.ts';
import { paintWheel } from './paint-wheel.ts';
import type { SpinStep } from './use-spin.ts';
import type { Slice } from './use-wheel.ts';
import { type WheelMotion, wheelMotion } from './wheel-motion.ts';

export type WheelProps = {
  name: string;
  slices: readonly Slice[];
  coins: number;
  step: SpinStep;
  /** Spins the wheel, or ends a running spin. */
  onPress: () => void;
  ref: Ref<WheelMotion | null>;
};

/** The wheel: rotating slices below a fixed rim and light, with the button and the coins in the middle. */
export function Wheel({ name, slices, coins, step, onPress, ref }: WheelProps) {
  const { t, i18n } = useTranslation('spinwheel');
  const canvas = useRef<HTMLCanvasElement>(null);
  const { size, scale } = useWheelSize();
  useImperativeHandle<WheelMotion | null, WheelMotion | null>(
    ref,
    () => canvas.current && wheelMotion(canvas.current),
    [],
  );
  const { language } = i18n;
  useEffect(() => {
    const canvasElement = canvas.current;
    if (!canvasElement) return undefined;
    let isCurrent = true;
    const colourOf = (token: string): string => getComputedStyle(canvasElement).getPropertyValue(token).trim();
    const colours = { gold: colourOf('--color-gold-deep'), shade: colourOf('--color-well') };
    const paintSlices = (): void => void (isCurrent && paintWheel(canvasElement, slices, size, scale, colours));
    paintSlices();
    // Repaints the labels once the web font has loaded.
    void fontsReady(currentLanguage()).then(paintSlices);
    return () => {
      isCurrent = false;
    };
  }, [slices, size, scale, language]);
  const canSpin = coins > 0;
  const isSpinning = step === 'sending' || step === 'spinning';
  const canSkip = step === 'spinning';
  return (
    <div className="night relative mx-auto low:mt-2" style={{ width: size, height: size }}>
      {/* Clips the corners of the rotating square, which would overflow a narrow page. */}
      <div className="absolute inset-0 overflow-clip rounded-full">
        <canvas
          ref={canvas}
          role="img"
          aria-label={t('picture', { name, count: slices.length })}
          className="size-full will-change-transform"
        />
      </div>
      <WheelRim />
      <WheelPointer isSpinning={step === 'spinning'} />
      <button
        type="button"
        onClick={onPress}
        aria-disabled={!canSkip && (!canSpin || isSpinning)}
        aria-busy={isSpinning}
        className={`absolute inset-0 m-auto flex size-[27%] flex-col items-center justify-center rounded-full bg-lacquer text-ivory shadow-high ring-3 ring-gold transition-[background-color,scale] duration-150 ring-inset ${
          // While the wheel turns, a press anywhere on it ends the spin.
          canSkip
            ? 'cursor-pointer before:absolute before:-inset-[135%] before:rounded-full'
            : isSpinning
              ? 'cursor-progress'
              : canSpin
                ? 'cursor-pointer hover:bg-lacquer-lit active:scale-96'
                : 'cursor-not-allowed'
        }`}
      >
        <span className="sr-only">{`${t(canSkip ? 'skip' : isSpinning ? 'spinning' : 'spin')} · ${t('coinCount', { count: coins })}`}</span>
        <span aria-hidden="true" className={`text-sm font-semibold leading-normal ${canSpin ? '' : 'text-ivory/70'}`}>
          {t('press')}
        </span>
        <span aria-hidden="true" className="flex items-center gap-1 leading-none">
          <CoinIcon />
          <span className="amount text-lg leading-none font-bold text-gold-lit">{formatNumber(coins, 0)}</span>
        </span>
      </button>
    </div>
  );
}

function CoinIcon() {
  return (
    <svg viewBox="0 0 16 16" className="size-4" focusable="false">
      <circle cx="8" cy="8" r="7.500" className="fill-gold-deep" />
      <circle cx="7.600" cy="7.500" r="6.700" className="fill-gold" />
      <path
        d="M3.600 6.200a4.500 4.500 0 0 1 4-3"
        className="fill-none stroke-gold-lit"
        strokeWidth="1.500"
        strokeLinecap="round"
      />
      <path d="M7.600 4.500 10.600 7.500l-3 3-3-3Z" className="fill-gold-deep" />
    </svg>
  );
}

const WHEEL_SIZE_MAX_PX = 350;
const WINDOW_WIDTH_SHARE = 0.85;
const RESIZE_DEBOUNCE_MS = 500;

export type WheelSize = { size: number; scale: number };

/** Height of header, menu and distances on a phone on its side, as in `small-screens.css`. */
const FRAME_HEIGHT_PX = 120;

const measureWheel = (): WheelSize => ({
  size: Math.floor(Math.min(WHEEL_SIZE_MAX_PX, innerWidth * WINDOW_WIDTH_SHARE, innerHeight - FRAME_HEIGHT_PX)),
  scale: devicePixelRatio || 1,
});

/** Size of the wheel in CSS pixels, and the device pixel ratio. Updated 500 ms after the last resize of the window. */
export function useWheelSize(): WheelSize {
  const [wheelSize, setWheelSize] = useState(measureWheel);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const onResize = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => setWheelSize(measureWheel()), RESIZE_DEBOUNCE_MS);
    };
    addEventListener('resize', onResize);
    return () => {
      clearTimeout(timer);
      removeEventListener('resize', onResize);
    };
  }, []);
  return wheelSize;
}

const STUD_COUNT = 24;
const pointOnCircle = (turnShare: number, radius: number): { cx: number; cy: number } => ({
  cx: 100 + radius * Math.sin(turnShare * 2 * Math.PI),
  cy: 100 - radius * Math.cos(turnShare * 2 * Math.PI),
});

/** Fixed layer: rim with two gold bands and studs, and light from the upper left. */
export function WheelRim() {
  return (
    <svg
      viewBox="0 0 200 200"
      aria-hidden="true"
      focusable="false"
      className="pointer-events-none absolute inset-0 size-full overflow-visible"
    >
      <defs>
        <linearGradient id="rim-gold" x1="0.150" y1="0.050" x2="0.850" y2="0.950">
          <stop offset="0" stopColor="var(--color-gold-lit)" />
          <stop offset="0.450" stopColor="var(--color-gold)" />
          <stop offset="1" stopColor="var(--color-gold-deep)" />
        </linearGradient>
        <linearGradient id="rim-lacquer" x1="0.150" y1="0.050" x2="0.850" y2="0.950">
          <stop offset="0" stopColor="var(--color-lacquer-lit)" />
          <stop offset="0.400" stopColor="var(--color-lacquer)" />
          <stop offset="1" stopColor="var(--color-lacquer-deep)" />
        </linearGradient>
        <radialGradient id="rim-light" cx="0.280" cy="0.160" r="0.620">
          <stop offset="0" stopColor="var(--color-gold-lit)" stopOpacity="0.300" />
          <stop offset="1" stopColor="var(--color-gold-lit)" stopOpacity="0" />
        </radialGradient>
      </defs>
      <circle cx="100" cy="100" r="90" fill="url(#rim-light)" />
      {/* Shadow of the rim on the slices. */}
      <circle cx="101" cy="102" r="89.500" fill="none" className="stroke-well/55" strokeWidth="3" />
      <circle cx="100" cy="100" r="94.500" fill="none" stroke="url(#rim-lacquer)" strokeWidth="10" />
      <circle cx="100" cy="100" r="98.700" fill="none" stroke="url(#rim-gold)" strokeWidth="2.600" />
      <circle cx="100" cy="100" r="90" fill="none" stroke="url(#rim-gold)" strokeWidth="2" />
      {Array.from({ length: STUD_COUNT }, (_, studIndex) => {
        const { cx, cy } = pointOnCircle((studIndex + 0.5) / STUD_COUNT, 94.4);
        return (
          <g key={studIndex}>
            <circle cx={cx + 0.4} cy={cy + 0.6} r="2.500" className="fill-well/60" />
            <circle cx={cx} cy={cy} r="2.200" className="fill-gold" />
            <circle cx={cx - 0.6} cy={cy - 0.7} r="0.900" className="fill-gold-lit" />
          </g>
        );
      })}
      <circle cx="100" cy="100" r="30" fill="none" stroke="url(#rim-gold)" strokeWidth="3" />
      <circle cx="100.500" cy="101" r="31.800" fill="none" className="stroke-well/45" strokeWidth="1.500" />
    </svg>
  );
}

/** The pointer, which moves as studs pass. A separate layer, so that its movement repaints nothing else. */
export function WheelPointer({ isSpinning }: { isSpinning: boolean }) {
  return (
    <svg
      viewBox="0 0 26 36"
      aria-hidden="true"
      focusable="false"
      className={`pointer-events-none absolute inset-x-0 -top-[4%] mx-auto w-[12%] overflow-visible origin-[50%_30%] ${isSpinning ? 'motion-safe:animate-tick' : ''}`}
    >
      <path d="M14 34.500 4.500 14.500a10.500 10.500 0 1 1 20 0Z" className="fill-well/50" />
      <path d="M13 33 3.500 13a10.500 10.500 0 1 1 19 0Z" fill="url(#rim-gold)" />
      <circle cx="13" cy="10.500" r="5.600" fill="url(#rim-lacquer)" />
      <circle cx="11.300" cy="8.800" r="1.600" className="fill-ivory/80" />
    </svg>
  );
}
