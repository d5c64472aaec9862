import type { ReactNode } from 'react';
import type { InputAttributes } from './text-input.tsx';

export type CheckboxProps = Omit<InputAttributes, 'type'> & { label: ReactNode };

/** A checkbox; pressing its label also toggles it. */
export function Checkbox({ label, ...rest }: CheckboxProps) {
  return (
    <label className="flex min-h-11 cursor-pointer items-center gap-3 text-sm text-muted">
      <input
        {...rest}
        type="checkbox"
        className="size-6 shrink-0 cursor-pointer appearance-none rounded-sm border border-edge bg-well bg-center bg-no-repeat checked:border-gold checked:bg-gold checked:bg-[url('./check.svg')]"
      />
      <span>{label}</span>
    </label>
  );
}
