import { useEffect, useEffectEvent } from 'react';

const TARGET = /^#([a-z]+)(?:=([\w-]{1,64}))?$/;
/** Entries that dialogs add for Back repeat the address. */
const isMarker = (): boolean => history.state?.within === true;

/**
 * Reports the hash of the address when the page opens and on each navigation to another one: `#deposit=ID` is
 * `('deposit', 'ID')`. A hash that `onTarget` accepts is removed, so that it opens its dialog once.
 */
export function useHashTarget(onTarget: (word: string, value: string) => boolean): void {
  const take = useEffectEvent(() => {
    const [, word, value = ''] = TARGET.exec(location.hash) ?? [];
    if (word === undefined || isMarker() || !onTarget(word, value)) return;
    history.replaceState(history.state, '', location.pathname + location.search);
  });
  useEffect(() => {
    const look = (): void => take();
    // After the layout's effects, which may still replace the address.
    const timer = setTimeout(look, 0);
    for (const event of ['pushState', 'hashchange']) addEventListener(event, look);
    return () => {
      clearTimeout(timer);
      for (const event of ['pushState', 'hashchange']) removeEventListener(event, look);
    };
  }, []);
}
