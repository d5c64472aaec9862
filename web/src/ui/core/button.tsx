import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';
import { Spinner } from './loader.tsx';

export type ButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children'> & {
  children: ReactNode;
  /** `primary` (red) moves money · `gold` leads on · `quiet` secondary · `plain` text only · `danger` irreversible. */
  variant?: ButtonVariant;
  /** `md` 48 px, `sm` 44 px. */
  size?: ButtonSize;
  /** Full width. */
  wide?: boolean;
  /** Text while a request is in flight. Presses are then ignored; the button keeps its focus. */
  busy?: string | false | undefined;
  icon?: ReactNode;
  ref?: Ref<HTMLButtonElement>;
};

/** A button. While busy it stays focusable, so that focus is not lost; `disabled` removes it from the focus order. */
export function Button({ variant = 'gold', size = 'md', wide = false, busy, icon, children, ...rest }: ButtonProps) {
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

export type ButtonVariant = 'primary' | 'gold' | 'quiet' | 'plain' | 'danger';
export type ButtonSize = 'md' | 'sm';

/** Unlike the body's `anywhere`, `break-word` lets a button shrink to its longest word only. */
const baseClass =
  'inline-flex wrap-break-word items-center justify-center gap-2 rounded-md text-center font-semibold select-none transition-[background-color,transform,opacity] duration-150 active:translate-y-px disabled:cursor-not-allowed disabled:opacity-45 disabled:active:translate-y-0 aria-busy:cursor-progress';

const variantClasses: Record<ButtonVariant, string> = {
  primary: 'bg-lacquer text-on-lacquer shadow-low ring-1 ring-inset ring-gold/35 enabled:hover:bg-lacquer-lit',
  gold: 'bg-gold text-well shadow-low enabled:hover:bg-gold-lit',
  quiet: 'bg-raised text-ivory ring-1 ring-inset ring-edge/60 enabled:hover:bg-line',
  plain: 'text-gold-lit enabled:hover:bg-raised underline-offset-4 enabled:hover:underline',
  danger:
    'bg-coral-deep text-coral ring-1 ring-inset ring-coral/50 enabled:hover:bg-lacquer-deep enabled:hover:text-on-lacquer',
};

const sizeClasses: Record<ButtonSize, string> = {
  md: 'min-h-12 px-5 py-2 text-base',
  sm: 'min-h-11 px-4 py-1.5 text-sm',
};

/** Class names of a button, for links that look like buttons. */
export const buttonClass = (variant: ButtonVariant = 'gold', size: ButtonSize = 'md', wide = false): string =>
  `${baseClass} ${variantClasses[variant]} ${sizeClasses[size]}${wide ? ' w-full' : ''}`;
