/** A longer queue is a burst; the calls of one member are fewer. */
const BURST_JOBS = 32;

/**
 * Starts jobs in order of arrival, one per turn of the event loop. During a burst it starts one per `gapMs` instead: the
 * burst takes longer, and other requests get the processor in between.
 */
export function staggerBursts(gapMs: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let isTurning = false;
  const turn = (): void => {
    const start = waiting.shift();
    isTurning = start !== undefined;
    if (!start) return;
    start();
    if (waiting.length > BURST_JOBS) setTimeout(turn, gapMs);
    else setImmediate(turn);
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push(() => void job().then(resolve, reject));
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    });
}
