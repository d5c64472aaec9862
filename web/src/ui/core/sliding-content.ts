import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react';

const SLIDE_MS = 250;

/** Elements of the page or dialog below an element. */
function elementsBelow(element: Element): Element[] {
  const { bottom } = element.getBoundingClientRect();
  const below: Element[] = [];
  for (let node: Element | null = element; node && !node.matches('#content, dialog'); node = node.parentElement) {
    for (let next = node.nextElementSibling; next; next = next.nextElementSibling)
      if (next.getBoundingClientRect().top >= bottom) below.push(next);
  }
  return below;
}

type Size = { windowWidth: number; height: number };

/**
 * When an element has changed its height by rendering, what follows slides to its new position instead of jumping there.
 * For content whose height is unknown until it has loaded.
 */
export function useSlidingContent(elementRef: RefObject<HTMLElement | null>): void {
  const lastSize = useRef<Size>(undefined);
  useEffect(() => {
    const element = elementRef.current;
    if (!element) return undefined;
    // Other causes of a new height, such as an opened list, are no reason to slide at the next rendering.
    const observer = new ResizeObserver(() => {
      lastSize.current = sizeOf(element);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [elementRef]);
  useLayoutEffect(() => {
    const element = elementRef.current;
    if (!element) return;
    const size = sizeOf(element);
    const before = lastSize.current;
    lastSize.current = size;
    if (before?.windowWidth !== size.windowWidth || before.height === size.height) return;
    const start = { transform: `translateY(${before.height - size.height}px)` };
    const end = { transform: 'none' };
    const hidden = { opacity: 0, offset: 0.5 };
    // With reduced motion it fades out and in.
    const frames = matchMedia('(prefers-reduced-motion: reduce)').matches
      ? [start, { ...start, ...hidden }, { ...end, ...hidden }, end]
      : [start, end];
    for (const below of elementsBelow(element)) below.animate(frames, { duration: SLIDE_MS, easing: 'ease-out' });
  });
}

const sizeOf = ({ offsetHeight }: HTMLElement): Size => ({ windowWidth: innerWidth, height: offsetHeight });
