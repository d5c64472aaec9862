import { useEffect, useRef, useState } from 'react';
import { formatAmount, type DisplayCurrency } from '../format/number.ts';

export type AmountProps = {
  /** Major units, in wire format; anything that isn't a number is displayed as "-". */
  value: unknown;
  currency?: DisplayCurrency;
  /** Prefixes the currency sign. */
  withSign?: boolean;
  /** Prefixes + to incoming amounts, and colours by direction. */
  signed?: boolean;
  /** Animates to a new value in 300 ms, except with reduced motion. */
  counts?: boolean;
  className?: string;
};

const COUNT_MS = 300;

/** The displayed value during the animation. */
function useCounted(value: number, counts: boolean): number {
  const [shown, setShown] = useState(value);
  const from = useRef(value);
  useEffect(() => {
    const start = from.current;
    from.current = value;
    const isStill = !counts || start === value || matchMedia('(prefers-reduced-motion: reduce)').matches;
    let frame = 0;
    const began = performance.now();
    const step = (now: number): void => {
      const done = isStill ? 1 : Math.min(1, (now - began) / COUNT_MS);
      setShown(done === 1 ? value : start + (value - start) * (1 - (1 - done) ** 3));
      if (done < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [value, counts]);
  return counts ? shown : value;
}

/** An amount in tabular figures. Screen readers get the final value only. */
export function Amount({
  value,
  currency,
  withSign = false,
  signed = false,
  counts = false,
  className = '',
}: AmountProps) {
  const number = typeof value === 'number' && Number.isFinite(value) ? value : Number.NaN;
  const shown = useCounted(number, counts && !Number.isNaN(number));
  const options = { currency, withSign, signed };
  const tone = signed && number > 0 ? 'text-jade' : signed && number < 0 ? 'text-coral' : '';
  const isCounting = counts && shown !== number && !Number.isNaN(number);
  if (!isCounting) return <span className={`amount ${tone} ${className}`}>{formatAmount(number, options)}</span>;
  return (
    <span className={`amount ${tone} ${className}`}>
      <span aria-hidden="true">{formatAmount(shown, options)}</span>
      <span className="sr-only">{formatAmount(number, options)}</span>
    </span>
  );
}
