import type { ButtonHTMLAttributes, ReactNode, Ref } from 'react';

export type IconButtonProps = Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'aria-label'> & {
  children: ReactNode;
  /** Accessible name. */
  label: string;
  /** The button has no effect at present; unlike `disabled`, it keeps its focus. */
  idle?: boolean;
  ref?: Ref<HTMLButtonElement>;
};

/** A button with an icon only, 44 px square. */
export function IconButton({
  children,
  label,
  idle = false,
  className = '',
  type = 'button',
  onClick,
  ...rest
}: IconButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={label}
      aria-disabled={idle || undefined}
      onClick={idle ? undefined : onClick}
      className={`inline-flex size-11 shrink-0 items-center justify-center rounded-md text-muted transition-colors enabled:hover:bg-raised enabled:hover:text-ivory disabled:opacity-45 aria-disabled:cursor-default aria-disabled:text-faint/45 ${className}`}
    >
      {children}
    </button>
  );
}
