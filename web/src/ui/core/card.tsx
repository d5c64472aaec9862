import type { ReactNode } from 'react';

export type CardProps = {
  children: ReactNode;
  /** Heading of the card, as a level-2 heading. */
  title?: string;
  /** A link or small button beside the heading. */
  action?: ReactNode;
  className?: string;
};

/** A panel with an optional heading. */
export function Card({ children, title, action, className = '' }: CardProps) {
  return (
    <section className={`rounded-lg bg-panel p-5 narrow:p-3 shadow-low ring-1 ring-line ${className}`}>
      {(title || action) && (
        <div className="mb-3 flex flex-wrap items-center justify-between gap-x-3">
          {title && <h2 className="text-lg font-semibold">{title}</h2>}
          {action}
        </div>
      )}
      {children}
    </section>
  );
}
