import { type RefObject, useLayoutEffect } from 'react';

/** Keeps an element in the part of the screen that a phone's keyboard leaves free, which no CSS can tell everywhere. */
export function useFitScreen(ref: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const screen = globalThis.visualViewport;
    if (!screen) return undefined;
    const fit = (): void => {
      const element = ref.current;
      // Who has zoomed in looks at a part of it: the whole must not shrink to that.
      if (!element || screen.scale > 1.01) return;
      element.style.height = `${screen.height}px`;
      element.style.top = `${screen.offsetTop}px`;
    };
    fit();
    for (const event of ['resize', 'scroll']) screen.addEventListener(event, fit);
    return () => {
      for (const event of ['resize', 'scroll']) screen.removeEventListener(event, fit);
    };
  }, [ref]);
}
