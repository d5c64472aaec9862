/** A browser of another vendor, driven by its own remote protocol, with the functions that the journey needs. */
export type BrowserEngine = {
  /** Loads an address and waits for the load event. */
  open: (url: string) => Promise<void>;
  /** Evaluates an expression in the page, awaits its promise, and returns the value as JSON. */
  evaluate: <T>(expression: string) => Promise<T>;
  /** Performs input actions in the common format of WebDriver and WebDriver BiDi. */
  perform: (actions: readonly object[]) => Promise<void>;
  /** PNG of the window's content. */
  screenshot: () => Promise<Buffer>;
  close: () => Promise<void>;
};

export const WINDOW_SIZE = { width: 390, height: 844 };
/** How long a browser may take to begin. */
export const BROWSER_START_TIMEOUT_MS = 30_000;
