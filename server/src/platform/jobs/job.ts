import { sleep } from '../clock.ts';
import { asUnavailable } from '../database/database-unavailable.ts';
import { Unavailable } from '../unavailable.ts';

export type JobLog = {
  error(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export type JobOptions = {
  name: string;
  /** Pause between the end of one run and the start of the next. */
  everyMs: number;
  /** One run. The signal is given when the server stops: a long run ends early then. */
  run: (signal: AbortSignal) => Promise<unknown>;
  log: JobLog;
};

export type Job = {
  /** Runs now instead of at the end of the pause; a run that is under way is followed by another. */
  wake(): void;
  /** Ends the job; settles when a run that is under way has ended. */
  stop(): Promise<void>;
};

/** Runs something again and again, never twice at once. A run that throws is logged and the next one comes all the same. */
export function startJob(options: JobOptions): Job {
  const stopping = new AbortController();
  let pause = new AbortController();
  let woken = false;
  let isAway = false;
  // While something is away it is told once, not in each run.
  const report = (thrown: unknown): void => {
    const error = asUnavailable(thrown);
    if (!(error instanceof Unavailable)) options.log.error({ err: thrown, job: options.name }, 'a job failed');
    else if (!isAway) options.log.warn({ reason: error.message, job: options.name }, 'unavailable');
    isAway = error instanceof Unavailable;
  };
  const loop = async () => {
    while (!stopping.signal.aborted) {
      woken = false;
      await options.run(stopping.signal).then(
        () => (isAway = false),
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
