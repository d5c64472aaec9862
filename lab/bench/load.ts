import { monotonicMs } from '@krapao/server/src/platform/time.ts';

export type Figures = { perSecond: number; p50Ms: number; p99Ms: number; count: number };

/** Calls `one` from `inFlight` callers, each waiting for its answer before it asks again, for `forMs` milliseconds. */
export async function load(inFlight: number, forMs: number, one: (turn: number) => Promise<void>): Promise<Figures> {
  const latencies: number[] = [];
  const start = monotonicMs();
  let turn = 0;
  const caller = async (): Promise<void> => {
    while (monotonicMs() - start < forMs) {
      const from = monotonicMs();
      await one((turn += 1));
      latencies.push(monotonicMs() - from);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
  const seconds = (monotonicMs() - start) / 1000;
  latencies.sort((a, b) => a - b);
  const quantile = (part: number): number => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN;
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
