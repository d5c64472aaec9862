const LONGEST_SLEEP_MS = 60_000;

/** Rings when something falls due, and when it is set: for work that is remembered in tables and done in time. */
export class Alarm {
  readonly #ring: () => number | null;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #isStopped = false;

  /** @param ring does what is due and tells when the next is (milliseconds since 1970), or null */
  constructor(ring: () => number | null) {
    this.#ring = ring;
  }

  /** Rings as soon as what runs now has ended: may be called inside a transaction. */
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
