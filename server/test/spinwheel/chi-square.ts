/**
 * Pearson's chi-square statistic of counts and weights. A fair draw exceeds {@link chiSquareLimit} of one less than the
 * number of slices once in a billion runs.
 */
export function chiSquare(counts: readonly number[], weights: readonly number[]): number {
  const drawCount = counts.reduce((total, count) => total + count, 0);
  const total = weights.reduce((total, weight) => total + weight, 0);
  return weights.reduce((sum, weight, index) => {
    const expected = (drawCount * weight) / total;
    return sum + ((counts[index] ?? 0) - expected) ** 2 / expected;
  }, 0);
}

/** The quantile of 1 − 10⁻⁹, by Wilson and Hilferty. */
export function chiSquareLimit(degreesOfFreedom: number): number {
  const QUANTILE = 5.997_807;
  const twoNinths = 2 / (9 * degreesOfFreedom);
  return degreesOfFreedom * (1 - twoNinths + QUANTILE * Math.sqrt(twoNinths)) ** 3;
}
