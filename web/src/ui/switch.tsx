import { type ReactNode, useId } from 'react';
import type { InputAttributes } from './core/text-input.tsx';

export type SwitchProps = Omit<InputAttributes, 'type' | 'role' | 'checked'> & {
  checked: boolean;
  label: ReactNode;
  /** What it means, below the label. */
  hint?: string | undefined;
};

/** A setting that takes effect when pressed. The whole row is the target. */
export function Switch({ label, hint, checked, ...rest }: SwitchProps) {
  const id = useId();
  return (
    <label className="flex min-h-11 cursor-pointer items-center justify-between gap-4 has-disabled:cursor-not-allowed has-disabled:opacity-60">
      <span className="min-w-0 py-1 leading-snug">
        <span id={`${id}label`} className="block">
          {label}
        </span>
        {hint && (
          <span id={`${id}hint`} className="block text-sm text-muted">
            {hint}
          </span>
        )}
      </span>
      <input
        {...rest}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        aria-labelledby={`${id}label`}
        aria-describedby={hint ? `${id}hint` : undefined}
        className="relative h-7 w-12 shrink-0 cursor-pointer appearance-none rounded-full border border-edge bg-well transition-colors before:absolute before:top-0.5 before:left-0.5 before:size-5.5 before:rounded-full before:bg-edge before:transition-transform checked:border-gold checked:bg-gold checked:before:translate-x-5 checked:before:bg-well disabled:cursor-not-allowed"
      />
    </label>
  );
}
