/** One party outside, what our books say of it, and what it says itself. Minor units, or hundredths of a credit. */
export type Comparison = {
  party: string;
  /** BAHT, LAK, or CREDITS of a game provider. */
  unit: string;
  ours: bigint;
  /** Undefined when the party has no statement that is read: then nothing is compared. */
  theirs: bigint | undefined;
  explanations: Explanation[];
};

/** Part of a difference that has a reason. `upTo`: it may be anything between nothing and this much. */
export type Explanation = { what: string; amount: bigint; upTo?: true };

/** What they have more than we do, after everything that explains it. Zero is right. */
export function unexplained({ ours, theirs, explanations }: Comparison): bigint {
  if (theirs === undefined) return 0n;
  const exact = explanations.filter(({ upTo }) => !upTo).reduce((sum, { amount }) => sum + amount, 0n);
  const rest = theirs - ours - exact;
  // It is unknown which of these have happened: any sum between all of one sign and all of the other is possible.
  const ranges = explanations.filter(({ upTo }) => upTo).map(({ amount }) => amount);
  const least = ranges.filter((amount) => amount < 0n).reduce((sum, amount) => sum + amount, 0n);
  const most = ranges.filter((amount) => amount > 0n).reduce((sum, amount) => sum + amount, 0n);
  return rest >= least && rest <= most ? 0n : rest;
}

/** Adds what has the same reason, and leaves out what is nothing. */
export function summed(explanations: readonly Explanation[]): Explanation[] {
  const byReason = new Map<string, Explanation>();
  for (const one of explanations) {
    const known = byReason.get(one.what);
    byReason.set(one.what, known ? { ...known, amount: known.amount + one.amount } : one);
  }
  return [...byReason.values()].filter(({ amount }) => amount !== 0n);
}
