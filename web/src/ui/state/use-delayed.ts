import { useEffect, useState } from 'react';

/** True once `on` has been true for so many milliseconds; false as soon as it isn't. */
export function useDelayed(on: boolean, milliseconds: number): boolean {
  const [isPast, setPast] = useState(false);
  useEffect(() => {
    if (!on) return undefined;
    const timer = setTimeout(() => setPast(true), milliseconds);
    return () => {
      clearTimeout(timer);
      setPast(false);
    };
  }, [on, milliseconds]);
  return on && isPast;
}
