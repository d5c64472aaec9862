import { sleep } from '../time.ts';
import { asUnavailable } from '../database/errors.ts';
import { Unavailable } from '../errors.ts';

export type JobLog = {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export type JobOptions = {
  name: string;
  /** Pause between the end of one run and the start of the next. */
  everyMs: number;
  /** One run. The signal aborts when the server stops, so that a long run ends early. */
  run: (signal: AbortSignal) => Promise<unknown>;
  log: JobLog;
};

export type Job = {
  /** Runs now instead of at the end of the pause; a run in progress is followed by another. */
  wake(): void;
  /** Ends the job; resolves when a run in progress has ended. */
  stop(): Promise<void>;
};

/** Runs something periodically, never concurrently. A run that throws is logged, and the job continues. */
export function startPeriodicJob(options: JobOptions): Job {
  const stopping = new AbortController();
  let pause = new AbortController();
  let woken = false;
  let isUnavailable = false;
  // An outage is logged once, not in each run.
  const report = (thrown: unknown): void => {
    const error = asUnavailable(thrown);
    if (!(error instanceof Unavailable)) options.log.error({ err: thrown, job: options.name }, 'a job failed');
    else if (!isUnavailable) options.log.warn({ reason: error.message, job: options.name }, 'unavailable');
    isUnavailable = error instanceof Unavailable;
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      woken = false;
      await options.run(stopping.signal).then(
        () => (isUnavailable = false),
        (error: unknown) => stopping.signal.aborted || report(error),
      );
      if (stopping.signal.aborted) return;
      pause = new AbortController();
      if (!woken) await sleep(options.everyMs, pause.signal);
    }
  };
  const ended = loop();
  return {
    wake() {
      woken = true;
      pause.abort();
    },
    async stop() {
      stopping.abort();
      pause.abort();
      await ended;
    },
  };
}
