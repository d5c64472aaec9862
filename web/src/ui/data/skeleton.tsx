/**
 * Placeholder of the same size as the content. Set `aria-busy` on the surrounding region; the skeleton is hidden from
 * screen readers.
 */
export function Skeleton({ className = 'h-5 w-full' }: { className?: string }) {
  return (
    <span aria-hidden="true" className={`relative block overflow-hidden rounded-sm bg-raised ${className}`}>
      <span className="absolute inset-0 -translate-x-full animate-shimmer bg-line/60" />
    </span>
  );
}
