import { Skeleton } from '../../ui/skeleton.tsx';

/** The shape of the panel while it is not there yet. */
export function PanelToCome() {
  return (
    <div aria-busy="true" className="grid gap-4 pb-2">
      <Skeleton className="h-12 w-full" />
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
