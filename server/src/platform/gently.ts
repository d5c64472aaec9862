/** Jobs that may wait before they count as a crowd: what one member asks for is fewer. */
const CROWD = 32;

/**
 * Starts jobs one in a turn of the event loop, in the order in which they came; while a crowd of them waits, one in
 * `gapMs`. A crowd takes longer then, and leaves the processor to whatever else becomes ready in between.
 */
export function gently(gapMs: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let isTurning = false;
  const turn = (): void => {
    const start = waiting.shift();
    isTurning = start !== undefined;
    if (!start) return;
    start();
    if (waiting.length > CROWD) setTimeout(turn, gapMs);
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
