/**
 * Starts jobs one in a turn of the event loop, in the order in which they came: a crowd of them takes longer, and whatever
 * else becomes ready in between doesn't wait behind it.
 */
export function gently(): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let isTurning = false;
  const turn = (): void => {
    const start = waiting.shift();
    isTurning = start !== undefined;
    if (!start) return;
    start();
    setImmediate(turn);
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push(() => void job().then(resolve, reject));
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    });
}
