import { monotonicMs } from '@krapao/server/src/platform/time.ts';

export type Figures = { perSecond: number; p50Ms: number; p99Ms: number; count: number };

/** Calls `run` for `durationMs` from `inFlight` callers, each waiting for its reply. */
export async function load(
  inFlight: number,
  durationMs: number,
  run: (turn: number) => Promise<void>,
): Promise<Figures> {
  const latencies: number[] = [];
  const start = monotonicMs();
  let lastTurn = 0;
  const runCaller = async (): Promise<void> => {
    while (monotonicMs() - start < durationMs) {
      const startedMs = monotonicMs();
      await run((lastTurn += 1));
      latencies.push(monotonicMs() - startedMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, runCaller));
  const seconds = (monotonicMs() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const quantile = (share: number): number => latencies[Math.floor((latencies.length - 1) * share)] ?? Number.NaN;
  return {
    perSecond: latencies.length / seconds,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    count: latencies.length,
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}
