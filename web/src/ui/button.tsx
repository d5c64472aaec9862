import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { buttonClass, type ButtonSize, type ButtonVariant } from './button-class.ts';
import { Spinner } from './state/spinner.tsx';

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  children: ReactNode;
  /** `primary` lacquer, the one thing to do here · `gold` takes or receives money · `quiet` beside them · `plain` words alone · `danger` can't be undone. */
  variant?: ButtonVariant;
  /** `md` 48 px, `sm` 44 px. */
  size?: ButtonSize;
  /** Takes the whole width. */
  wide?: boolean;
  /** Under way: shown with these words, presses are ignored, and focus stays. */
  busy?: string | false | undefined;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

/** A button. It stays focusable while busy, so that focus is not lost; only `disabled` removes it. */
export function Button({ variant = 'primary', size = 'md', wide = false, busy, icon, children, ...rest }: ButtonProps) {
  const { className = '', type = 'button', onClick, ...attributes } = rest;
  return (
    <button
      {...attributes}
      type={busy ? 'button' : type}
      aria-busy={busy ? true : undefined}
      aria-disabled={busy ? true : attributes['aria-disabled']}
      onClick={busy ? undefined : onClick}
      className={`${buttonClass(variant, size, wide)} ${className}`}
    >
      {busy ? <Spinner /> : icon}
      <span>{busy || children}</span>
    </button>
  );
}
