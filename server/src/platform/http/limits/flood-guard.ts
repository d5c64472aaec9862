import { monotonicMs } from '../../clock.ts';

const WINDOW_MS = 60_000;
/** Bound on memory: past it all counts restart, which lets through at most one extra window. */
const ADDRESSES_MAX = 50_000;

/**
 * Counts the requests of each network (`Caller.group`) in this process. It keeps one loud machine from using up the server before
 * anything costly runs; the limits that guard money and logins are counted in the database, for all nodes together.
 * @returns seconds to wait when the network has used up its minute, undefined while it may go on
 */
export function floodGuard(perMinute: number): (network: string) => number | undefined {
  const hits = new Map<string, number>();
  let windowEnd = 0;
  return (network) => {
    const now = monotonicMs();
    if (now >= windowEnd || hits.size >= ADDRESSES_MAX) {
      hits.clear();
      windowEnd = now + WINDOW_MS;
    }
    const count = (hits.get(network) ?? 0) + 1;
    hits.set(network, count);
    return count > perMinute ? Math.ceil((windowEnd - now) / 1000) : undefined;
  };
}
