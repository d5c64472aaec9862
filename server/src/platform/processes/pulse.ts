import type { Worker } from 'node:cluster';

type Question = { isAlive?: true };
type Answer = { alive?: true };

/**
 * In the first process: whether the event loop of every API process turns.
 * @returns a function that says whether all have answered the question of its last call, and asks again
 */
export function followPulse(workers: readonly Worker[]): () => boolean {
  const silent = new Set<Worker>();
  for (const worker of workers) {
    worker.on('message', ({ alive }: Answer) => alive && silent.delete(worker));
    // One that has ended is no longer waited for: its end is noticed as such.
    worker.once('exit', () => silent.delete(worker));
  }
  return () => {
    const allAnswered = silent.size === 0;
    for (const worker of workers) {
      if (silent.has(worker) || !worker.isConnected()) continue;
      silent.add(worker);
      worker.send({ isAlive: true } satisfies Question);
    }
    return allAnswered;
  };
}

/** In an API process: its event loop answers the first process. */
export function answerPulse(): void {
  process.on('message', ({ isAlive }: Question) => {
    if (isAlive) process.send?.({ alive: true } satisfies Answer);
  });
}
