/** Pseudorandom numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next,
    /** Integer from 0 to `end` - 1. */
    below: (end) => Math.floor(next() * end),
    pick: (list) => list[Math.floor(next() * list.length)],
    shuffle(list) {
      const rest = [...list];
      return list.map(() => rest.splice(Math.floor(next() * rest.length), 1)[0]);
    },
  };
}
