/** A browser of another maker, driven by its own remote protocol: what the journey needs of it, and nothing more. */
export type Engine = {
  /** Loads an address and waits until it is loaded. */
  open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page, awaits it, and returns its value by way of JSON. */
  evaluate: <T>(expression: string) => Promise<T>;
  /** Performs input actions, in the form that WebDriver and WebDriver BiDi share. */
  perform: (actions: readonly object[]) => Promise<void>;
  /** PNG of what is in the window. */
  screenshot: () => Promise<Buffer>;
  close: () => Promise<void>;
};

export const WINDOW = { width: 390, height: 844 };
/** How long a browser may take to begin. */
export const START_MS = 30_000;
