import type { ReactNode } from 'react';
import { EmptyArt } from '../art/empty-art.tsx';

export type EmptyStateProps = {
  /** A picture of what is missing; an empty bag if left out. */
  art?: ReactNode;
  /** One sentence: what would stand here. */
  title: string;
  /** What to do about it. */
  text?: ReactNode;
  /** A button or link that does it. */
  action?: ReactNode;
};

/** Nothing here yet, and what to do. */
export function EmptyState({ art = <EmptyArt />, title, text, action }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-3 px-4 py-8 text-center">
      {art}
      <p className="text-base font-semibold text-balance">{title}</p>
      {text && <p className="max-w-sm text-sm text-balance text-muted">{text}</p>}
      {action}
    </div>
  );
}
