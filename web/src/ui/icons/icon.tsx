import type { ReactNode } from 'react';

export type IconProps = { className?: string };
export type Icon = (props: IconProps) => ReactNode;

/**
 * Makes an icon of our set: 24 × 24, strokes of 1.7 with round ends, one solid accent at most. Icons are pictures beside
 * words, so they are hidden from screen readers; a button of an icon alone carries its own name.
 * @param strokes path data, stroked · @param solid path data, filled
 */
export function icon(strokes: string, solid?: string): Icon {
  return function IconShape({ className = 'size-6' }) {
    return (
      <svg viewBox="0 0 24 24" fill="none" className={`shrink-0 ${className}`} aria-hidden="true" focusable="false">
        <path d={strokes} stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" strokeLinejoin="round" />
        {solid && <path d={solid} fill="currentColor" />}
      </svg>
    );
  };
}
