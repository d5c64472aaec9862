import { useLayoutEffect, useRef, useState } from 'react';

const FOCUSABLE = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';

/** Whether a box has to take the focus itself to be scrolled by keys: it overflows, and nothing in it takes the focus. */
export function useFocusableScroll() {
  const body = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const [isFocusable, setFocusable] = useState(false);
  useLayoutEffect(() => {
    const [outer, inner] = [body.current, content.current];
    if (!outer || !inner) return undefined;
    const look = (): void =>
      setFocusable(outer.scrollHeight > outer.clientHeight && inner.querySelector(FOCUSABLE) === null);
    const observer = new ResizeObserver(look);
    observer.observe(outer);
    observer.observe(inner);
    return () => observer.disconnect();
  }, []);
  return { body, content, isFocusable };
}
