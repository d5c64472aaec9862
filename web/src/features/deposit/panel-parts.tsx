import type { ReactNode } from 'react';
import { Skeleton } from '../../ui/data/skeleton.tsx';

/** Placeholder for the list of methods. A sheet that is as high before as after loading does not move. */
export function ListSkeleton({ rows = 4 }: { rows?: number }) {
  return (
    <div aria-busy="true" className="grid gap-2 pb-2">
      <Skeleton className="h-5 w-24" />
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} className="h-16 w-full rounded-md" />
      ))}
    </div>
  );
}

/** Placeholder for the QR form. */
export function PanelSkeleton() {
  return (
    <div aria-busy="true" className="grid gap-4 pb-2">
      <Skeleton className="h-[4.75rem] w-full" />
      <div className="grid grid-cols-3 gap-2">
        {[1, 2, 3, 4, 5, 6].map((amount) => (
          <Skeleton key={amount} className="h-11 w-full" />
        ))}
      </div>
      <Skeleton className="mt-3 h-12 w-full" />
    </div>
  );
}

/** List of notes about a method. An `undefined` entry is not known yet and is omitted. */
export function BulletList({ items }: { items: readonly ReactNode[] }) {
  return (
    <ul className="grid gap-1.5 text-sm text-muted">
      {items.map(
        (note, index) =>
          note !== undefined && (
            // oxlint-disable-next-line react/no-array-index-key -- a fixed list
            <li key={index} className="flex gap-2.5">
              <span className="mt-[0.55em] size-1.5 shrink-0 rotate-45 bg-gold" aria-hidden="true" />
              <span className="min-w-0">{note}</span>
            </li>
          ),
      )}
    </ul>
  );
}
