/** Prefix of addresses, and the counterparty there. */
type Place = { prefix: string; party: string };

/** Addresses of the outside file that are ours: counterparties call them, we never do. */
const OURS = /callback|publicUrl|followHost/i;

/**
 * Names the counterparty of an address by its entry in the outside file: `bank`, `kbank`, `pg`. An address that no entry
 * has is `other`, such as that of the object storage.
 */
export function partyByUrl(outside: object): (url: string) => string {
  const places = placesIn(outside, [])
    // The most specific one decides: several parties may share a host.
    .toSorted((a, b) => b.prefix.length - a.prefix.length);
  return (url) => places.find(({ prefix }) => url.startsWith(prefix))?.party ?? 'other';
}

function placesIn(value: unknown, path: readonly string[]): Place[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, inner]) => (OURS.test(name) ? [] : placesIn(inner, [...path, name])));
  }
  if (typeof value !== 'string' || !/^https?:\/\//.test(value)) return [];
  const [first = 'other', second] = path;
  return [{ prefix: value, party: first === 'games' && second ? second : first }];
}
