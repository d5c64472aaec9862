import { createListeners } from '../browser/listeners.ts';

let isShown = false;
const changes = createListeners();

/** Whether the strip of open items is shown: the member waits for money. */
export const isStripShown = (): boolean => isShown;

export function setStripShown(shown: boolean): void {
  if (shown === isShown) return;
  isShown = shown;
  changes.notify();
}

/** Subscribes to changes of {@link isStripShown}. @returns unsubscribe function */
export const onStripChange = changes.subscribe;
