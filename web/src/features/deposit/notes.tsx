/** What to know of a way, a line each. */
export function Notes({ of }: { of: readonly string[] }) {
  return (
    <ul className="grid gap-1.5 text-sm text-muted">
      {of.map((note) => (
        <li key={note} className="flex gap-2.5">
          <span className="mt-[0.55em] size-1.5 shrink-0 rotate-45 bg-gold" aria-hidden="true" />
          {note}
        </li>
      ))}
    </ul>
  );
}
