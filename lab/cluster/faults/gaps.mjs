/** The longest time between two of the moments, from `from` to `to`; `moments` rise. */
export function longestGap(moments, from, to) {
  let last = from;
  let longest = 0;
  for (let index = firstAfter(moments, from); index < moments.length && moments[index] < to; index += 1) {
    longest = Math.max(longest, moments[index] - last);
    last = moments[index];
  }
  return Math.max(longest, to - last);
}

function firstAfter(moments, from) {
  let [low, high] = [0, moments.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (moments[middle] > from) high = middle;
    else low = middle + 1;
  }
  return low;
}
