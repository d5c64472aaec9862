/** Longest time between two of the ascending times, within `from` to `to`. */
export function longestGap(times, from, to) {
  let last = from;
  let longest = 0;
  for (let index = firstAfter(times, from); index < times.length && times[index] < to; index += 1) {
    longest = Math.max(longest, times[index] - last);
    last = times[index];
  }
  return Math.max(longest, to - last);
}

function firstAfter(times, from) {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] > from) high = middle;
    else low = middle + 1;
  }
  return low;
}
