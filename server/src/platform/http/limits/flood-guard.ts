import { monotonicMs } from '../../clock.ts';

const WINDOW_MS = 60_000;
/** Bound on memory: past it all counts restart, which lets through at most one extra window. */
const ADDRESSES_MAX = 50_000;

/**
 * Counts the requests of each address in this process. It keeps one loud machine from using up the server before
 * anything costly runs; the limits that guard money and logins are counted in the database, for all nodes together.
 * @returns seconds to wait when the address has used up its minute, undefined while it may go on
 */
export function floodGuard(perMinute: number): (address: string) => number | undefined {
  const hits = new Map<string, number>();
  let windowEnd = 0;
  return (address) => {
    const now = monotonicMs();
    if (now >= windowEnd || hits.size >= ADDRESSES_MAX) {
      hits.clear();
      windowEnd = now + WINDOW_MS;
    }
    const key = networkOf(address);
    const count = (hits.get(key) ?? 0) + 1;
    hits.set(key, count);
    return count > perMinute ? Math.ceil((windowEnd - now) / 1000) : undefined;
  };
}

/** The address of an IPv4 client, the /64 of an IPv6 one: the holder of one IPv6 address has all of that network. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!plain.includes(':')) return plain;
  const [head = '', tail] = plain.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  const groups = [...left, ...zeros, ...right].slice(0, 4).map((group) => group.replace(/^0+(?=.)/, '').toLowerCase());
  return `${groups.join(':')}::/64`;
}
