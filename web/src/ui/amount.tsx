import { useEffect, useRef, useState } from 'react';
import { formatAmount, type DisplayCurrency } from '../format/number.ts';

export type AmountProps = {
  /** Major units in wire format; any value that isn't a number is displayed as "-". */
  value: unknown;
  currency?: DisplayCurrency;
  /** Prefixes the currency sign. */
  withSign?: boolean;
  /** Adds + to positive amounts, and colours the amount by its sign unless it is `neutral`. */
  signed?: boolean | 'neutral';
  /** Counts up or down to a new value in 300 ms, except with reduced motion. */
  isAnimated?: boolean;
  className?: string;
};

const COUNT_ANIMATION_MS = 300;

/** Returns the value to display: during the animation an intermediate value. */
function useCountedValue(value: number, isAnimated: boolean): number {
  const [displayedValue, setDisplayedValue] = useState(value);
  const previousValue = useRef(value);
  useEffect(() => {
    const startValue = previousValue.current;
    previousValue.current = value;
    const skipsAnimation =
      !isAnimated || startValue === value || matchMedia('(prefers-reduced-motion: reduce)').matches;
    let frameId = 0;
    const startedAt = performance.now();
    const drawFrame = (now: number): void => {
      const progress = skipsAnimation ? 1 : Math.min(1, (now - startedAt) / COUNT_ANIMATION_MS);
      setDisplayedValue(progress === 1 ? value : startValue + (value - startValue) * (1 - (1 - progress) ** 3));
      if (progress < 1) frameId = requestAnimationFrame(drawFrame);
    };
    frameId = requestAnimationFrame(drawFrame);
    return () => cancelAnimationFrame(frameId);
  }, [value, isAnimated]);
  return isAnimated ? displayedValue : value;
}

/** Formatted amount in tabular figures. Screen readers get the final value only. */
export function Amount({
  value,
  currency,
  withSign = false,
  signed = false,
  isAnimated = false,
  className = '',
}: AmountProps) {
  const finiteValue = typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
  const displayedValue = useCountedValue(finiteValue, isAnimated && !Number.isNaN(finiteValue));
  const formatOptions = { currency, withSign, signed: signed !== false };
  const isColoured = signed === true;
  const colourClass = isColoured && finiteValue > 0 ? 'text-jade' : isColoured && finiteValue < 0 ? 'text-coral' : '';
  const isCounting = isAnimated && displayedValue !== finiteValue && !Number.isNaN(finiteValue);
  if (!isCounting)
    return <span className={`amount ${colourClass} ${className}`}>{formatAmount(finiteValue, formatOptions)}</span>;
  return (
    <span className={`amount ${colourClass} ${className}`}>
      <span aria-hidden="true">{formatAmount(displayedValue, formatOptions)}</span>
      <span className="sr-only">{formatAmount(finiteValue, formatOptions)}</span>
    </span>
  );
}
