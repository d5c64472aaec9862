import { asUnavailable } from '../database/errors.ts';
import { Unavailable } from '../errors.ts';
import { sleep } from '../time.ts';

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
  /** Runs now instead of after the pause. Another run follows a run in progress. */
  wake(): void;
  /** Ends the job; resolves when a run in progress has ended. */
  stop(): Promise<void>;
};

/** Runs work periodically, never concurrently. A run that throws is logged, and the job continues. */
export function startPeriodicJob(options: JobOptions): Job {
  const stopController = new AbortController();
  let pauseController = new AbortController();
  let isWoken = false;
  let isUnavailable = false;
  // An outage is logged once, not in each run.
  const logFailure = (thrown: unknown): void => {
    const error = asUnavailable(thrown);
    if (!(error instanceof Unavailable)) options.log.error({ err: thrown, job: options.name }, 'job failed');
    else if (!isUnavailable)
      options.log.warn({ reason: error.message, job: options.name }, 'job interrupted, dependency unavailable');
    isUnavailable = error instanceof Unavailable;
  };
  const runLoop = async () => {
    while (!stopController.signal.aborted) {
      isWoken = false;
      await options.run(stopController.signal).then(
        () => (isUnavailable = false),
        (error: unknown) => stopController.signal.aborted || logFailure(error),
      );
      if (stopController.signal.aborted) return;
      pauseController = new AbortController();
      if (!isWoken) await sleep(options.everyMs, pauseController.signal);
    }
  };
  const loopEnd = runLoop();
  return {
    wake() {
      isWoken = true;
      pauseController.abort();
    },
    async stop() {
      stopController.abort();
      pauseController.abort();
      await loopEnd;
    },
  };
}
