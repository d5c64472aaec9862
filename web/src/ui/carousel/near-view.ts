import { type RefCallback, useCallback, useState } from 'react';

/** Distance in px from the view within which a picture loads; a carousel's next card is that near. */
const MARGIN_PX = 300;

const listeners = new WeakMap<Element, () => void>();
let sharedObserver: IntersectionObserver | undefined;

/** One observer for all pictures. `scrollMargin` also extends carousels; older browsers ignore it. */
const observer = (): IntersectionObserver =>
  (sharedObserver ??= new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) if (isIntersecting) listeners.get(target)?.();
    },
    { rootMargin: `${MARGIN_PX}px`, scrollMargin: `${MARGIN_PX}px` },
  ));

/**
 * Whether an element has been near the view. `loading="lazy"` is no replacement: on a slow connection Chromium loads
 * pictures 2,500 px away.
 * @returns `ref` of the element
 */
export function useNearView(): { isNear: boolean; ref: RefCallback<Element> } {
  const [isNear, setNear] = useState(false);
  const ref = useCallback((element: Element | null) => {
    if (!element) return undefined;
    listeners.set(element, () => {
      observer().unobserve(element);
      setNear(true);
    });
    observer().observe(element);
    return () => observer().unobserve(element);
  }, []);
  return { isNear, ref };
}
