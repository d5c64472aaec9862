const DEFAULT_CONCURRENCY = 24;

/** Runs `work` for each item, `concurrency` items at a time. */
export async function forEachConcurrent(list, work, concurrency = DEFAULT_CONCURRENCY) {
  let nextIndex = 0;
  const run = async () => {
    while (nextIndex < list.length) {
      nextIndex += 1;
      await work(list[nextIndex - 1]);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, run));
}
