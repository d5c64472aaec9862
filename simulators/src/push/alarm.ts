const LONGEST_SLEEP_MS = 60_000;

/** A timer for due work that is stored in tables: runs it when it falls due, and when called. */
export class Alarm {
  readonly #ring: () => number | null;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #isStopped = false;

  /** @param ring does the due work and returns when the next is due (milliseconds since 1970), or null */
  constructor(ring: () => number | null) {
    this.#ring = ring;
  }

  /** Runs after the current call stack, so that it may be called inside a transaction. */
  set(): void {
    if (this.#isStopped || this.#soon) return;
    this.#soon = setImmediate(() => {
      this.#soon = undefined;
      this.#goOff();
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
  }

  #goOff(): void {
    clearTimeout(this.#timer);
    const next = this.#ring();
    if (next === null || this.#isStopped) return;
    this.#timer = setTimeout(() => this.#goOff(), Math.min(Math.max(next - Date.now(), 1), LONGEST_SLEEP_MS));
    this.#timer.unref();
  }
}
