/** One party's total by the ledger and by its statement. Minor units, or hundredths of a credit. */
export type Comparison = {
  party: string;
  /** BAHT, LAK, or CREDITS of a game provider. */
  unit: string;
  ours: bigint;
  /** Undefined when no statement of the party is read: nothing is compared. */
  theirs: bigint | undefined;
  explanations: Explanation[];
};

/** An explained share of a difference. `upTo`: any amount between zero and this one. */
export type Explanation = { what: string; amount: bigint; upTo?: true };

/** The party's total less the ledger's and all explanations. Zero: reconciled. */
export function unexplained({ ours, theirs, explanations }: Comparison): bigint {
  if (theirs === undefined) return 0n;
  const exact = explanations.filter(({ upTo }) => !upTo).reduce((sum, { amount }) => sum + amount, 0n);
  const rest = theirs - ours - exact;
  // Any of these may have happened: every sum between all negative and all positive ones is possible.
  const ranges = explanations.filter(({ upTo }) => upTo).map(({ amount }) => amount);
  const least = ranges.filter((amount) => amount < 0n).reduce((sum, amount) => sum + amount, 0n);
  const most = ranges.filter((amount) => amount > 0n).reduce((sum, amount) => sum + amount, 0n);
  return rest >= least && rest <= most ? 0n : rest;
}

/** Sums explanations by reason, without zeros. */
export function summed(explanations: readonly Explanation[]): Explanation[] {
  const byReason = new Map<string, Explanation>();
  for (const one of explanations) {
    const known = byReason.get(one.what);
    byReason.set(one.what, known ? { ...known, amount: known.amount + one.amount } : one);
  }
  return [...byReason.values()].filter(({ amount }) => amount !== 0n);
}
