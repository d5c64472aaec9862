/** Longest time between two of the ascending times, within `from` to `to`. */
export function longestGap(times, from, to) {
  let previousTime = from;
  let longestMs = 0;
  for (let index = firstAfter(times, from); index < times.length && times[index] < to; index += 1) {
    longestMs = Math.max(longestMs, times[index] - previousTime);
    previousTime = times[index];
  }
  return Math.max(longestMs, to - previousTime);
}

function firstAfter(times, from) {
  let [lowIndex, highIndex] = [0, times.length];
  while (lowIndex < highIndex) {
    const middleIndex = (lowIndex + highIndex) >> 1;
    if (times[middleIndex] > from) highIndex = middleIndex;
    else lowIndex = middleIndex + 1;
  }
  return lowIndex;
}
