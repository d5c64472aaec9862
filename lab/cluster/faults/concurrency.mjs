const CONCURRENCY = 24;

/** Runs `work` for forEachConcurrent item, `concurrency` items at a time. */
export async function forEachConcurrent(list, work, concurrency = CONCURRENCY) {
  let next = 0;
  const run = async () => {
    while (next < list.length) {
      next += 1;
      await work(list[next - 1]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}
