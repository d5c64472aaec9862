import { type Ref, useEffect, useImperativeHandle, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { fontsReady } from '../../../fonts-ready.ts';
import { formatNumber } from '../../../format/number.ts';
import { currentLanguage } from '../../../i18n/i18n.ts';
import { paintWheel } from './paint-wheel.ts';
import type { SpinStep } from '../use-spin.ts';
import { type WheelMotion, wheelMotionOf } from './wheel-motion.ts';
import { useWheelSize } from './use-wheel-size.ts';
import { WheelPointer, WheelRim } from './wheel-rim.tsx';
import type { Slice } from './wheel-slice.ts';

export type WheelProps = {
  name: string;
  slices: readonly Slice[];
  coins: number;
  step: SpinStep['step'];
  onPress: () => void;
  ref: Ref<WheelMotion | null>;
};

/** The wheel: slices that turn, under a rim and a light that don't, and in the middle the button with the coins. */
export function Wheel({ name, slices, coins, step, onPress, ref }: WheelProps) {
  const { t, i18n } = useTranslation('spinwheel');
  const canvas = useRef<HTMLCanvasElement>(null);
  const { size, scale } = useWheelSize();
  useImperativeHandle<WheelMotion | null, WheelMotion | null>(
    ref,
    () => canvas.current && wheelMotionOf(canvas.current),
    [],
  );
  const { language } = i18n;
  useEffect(() => {
    const place = canvas.current;
    if (!place) return undefined;
    let isCurrent = true;
    const colourOf = (token: string): string => getComputedStyle(place).getPropertyValue(token).trim();
    const colours = { gold: colourOf('--color-gold-deep'), shade: colourOf('--color-well') };
    const paint = (): void => void (isCurrent && paintWheel(place, slices, size, scale, colours));
    paint();
    // Words drawn before their letters came stay as they are.
    void fontsReady(currentLanguage()).then(paint);
    return () => {
      isCurrent = false;
    };
  }, [slices, size, scale, language]);
  const canSpin = coins > 0;
  const isSpinning = step === 'asking' || step === 'spinning';
  return (
    <div className="relative mx-auto" style={{ width: size, height: size }}>
      {/* A square that rotates has corners that reach out of a narrow page. */}
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
        aria-disabled={!canSpin || isSpinning}
        aria-busy={isSpinning}
        className={`absolute inset-0 m-auto flex size-[27%] flex-col items-center justify-center rounded-full bg-lacquer text-ivory shadow-high ring-3 ring-gold transition-[background-color,scale] duration-150 ring-inset ${
          isSpinning
            ? 'cursor-progress'
            : canSpin
              ? 'cursor-pointer hover:bg-lacquer-lit active:scale-96'
              : 'cursor-not-allowed'
        }`}
      >
        <span className="sr-only">{`${t(isSpinning ? 'spinning' : 'spin')} · ${t('coinCount', { count: coins })}`}</span>
        <span aria-hidden="true" className={`text-sm font-semibold leading-normal ${canSpin ? '' : 'text-ivory/70'}`}>
          {t('press')}
        </span>
        <span aria-hidden="true" className="flex items-center gap-1 leading-none">
          <Coin />
          <span className="amount text-lg leading-none font-bold text-gold-lit">{formatNumber(coins, 0)}</span>
        </span>
      </button>
    </div>
  );
}

function Coin() {
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
