import type { ReactNode } from 'react';

/** What to know of a way, a line each. `undefined` is left out: it isn't known yet. */
export function Notes({ of }: { of: readonly ReactNode[] }) {
  return (
    <ul className="grid gap-1.5 text-sm text-muted">
      {of.map(
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
