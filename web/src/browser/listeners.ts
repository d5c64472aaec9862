type Listener<Event> = (event: Event) => void;

/** Functions that are called on each event of one kind. */
export type Listeners<Event> = {
  /** Subscribes a listener. @returns unsubscribe function */
  subscribe: (listener: Listener<Event>) => () => void;
  notify: Listener<Event>;
};

export function createListeners<Event = void>(): Listeners<Event> {
  const listeners = new Set<Listener<Event>>();
  return {
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    notify: (event) => {
      for (const listener of listeners) listener(event);
    },
  };
}
