const LONGEST_SLEEP_MS = 60_000;

/** A timer for work whose due times are stored in tables. Runs the work when it falls due, and on request. */
export class DueTimer {
  readonly #runDue: () => number | null;
  #timer: NodeJS.Timeout | undefined;
  #soon: NodeJS.Immediate | undefined;
  #isStopped = false;

  /** @param runDue does the due work and returns the next due time (milliseconds since 1970), or null */
  constructor(runDue: () => number | null) {
    this.#runDue = runDue;
  }

  /** Runs the work after the current call stack, so it may be called inside a transaction. */
  schedule(): void {
    if (this.#isStopped || this.#soon) return;
    this.#soon = setImmediate(() => {
      this.#soon = undefined;
      this.#run();
    });
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    clearImmediate(this.#soon);
  }

  #run(): void {
    clearTimeout(this.#timer);
    const nextAt = this.#runDue();
    if (nextAt === null || this.#isStopped) return;
    this.#timer = setTimeout(() => this.#run(), Math.min(Math.max(nextAt - Date.now(), 1), LONGEST_SLEEP_MS));
    this.#timer.unref();
  }
}
