/**
 * How far counts are from what the weights let expect: Pearson's sum. What is drawn by the weights exceeds
 * {@link limitOf} of one less than there are slices once in a billion runs.
 */
export function chiSquare(counts: readonly number[], weights: readonly number[]): number {
  const drawn = counts.reduce((sum, count) => sum + count, 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.reduce((sum, weight, index) => {
    const expected = (drawn * weight) / total;
    return sum + ((counts[index] ?? 0) - expected) ** 2 / expected;
  }, 0);
}

/** The quantile of 1 − 10⁻⁹, by Wilson and Hilferty. */
export function limitOf(freedom: number): number {
  const QUANTILE = 5.997_807;
  const ninth = 2 / (9 * freedom);
  return freedom * (1 - ninth + QUANTILE * Math.sqrt(ninth)) ** 3;
}
