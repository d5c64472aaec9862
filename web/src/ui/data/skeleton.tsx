/**
 * A place kept for what is coming: give it the height and width of the real thing. Put `aria-busy` on the region that
 * it fills; the skeleton itself says nothing.
 */
export function Skeleton({ className = 'h-5 w-full' }: { className?: string }) {
  return (
    <span aria-hidden="true" className={`relative block overflow-hidden rounded-sm bg-raised ${className}`}>
      <span className="absolute inset-0 -translate-x-full animate-shimmer bg-line/60" />
    </span>
  );
}
