/** Pseudorandom numbers from 0 to 1 (mulberry32). */
export function seededRandom(seed) {
  let state = seed >>> 0;
  const nextRandom = () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixedState = Math.imul(state ^ (state >>> 15), state | 1);
    mixedState ^= mixedState + Math.imul(mixedState ^ (mixedState >>> 7), mixedState | 61);
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4_294_967_296;
  };
  return {
    next: nextRandom,
    /** Integer from 0 to `end` - 1. */
    below: (end) => Math.floor(nextRandom() * end),
    pick: (list) => list[Math.floor(nextRandom() * list.length)],
    shuffle(list) {
      const remaining = [...list];
      return list.map(() => remaining.splice(Math.floor(nextRandom() * remaining.length), 1)[0]);
    },
  };
}
