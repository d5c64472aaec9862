/** One external party's total according to the ledger and to its statement. Minor units, or hundredths of a credit. */
export type Comparison = {
  party: string;
  /** BAHT, LAK, or CREDITS of a game provider. */
  unit: string;
  ledgerTotal: bigint;
  /** Undefined if the party has no statement: nothing is compared. */
  partyTotal: bigint | undefined;
  explanations: Explanation[];
};

/** An explained share of a difference. `upTo`: the share is any amount between zero and `amount`. */
export type Explanation = { reason: string; amount: bigint; upTo?: true };

/** The party's total less the ledger's total and all explanations. Zero: reconciled. */
export function unexplainedDifference({ ledgerTotal, partyTotal, explanations }: Comparison): bigint {
  if (partyTotal === undefined) return 0n;
  const exactTotal = explanations.filter(({ upTo }) => !upTo).reduce((sum, { amount }) => sum + amount, 0n);
  const difference = partyTotal - ledgerTotal - exactTotal;
  // Each of these amounts may apply partly, so every sum between all negative and all positive amounts is possible.
  const upToAmounts = explanations.filter(({ upTo }) => upTo).map(({ amount }) => amount);
  const lowest = upToAmounts.filter((amount) => amount < 0n).reduce((sum, amount) => sum + amount, 0n);
  const highest = upToAmounts.filter((amount) => amount > 0n).reduce((sum, amount) => sum + amount, 0n);
  return difference >= lowest && difference <= highest ? 0n : difference;
}

/** Sums explanations by reason, without zeros. */
export function sumByReason(explanations: readonly Explanation[]): Explanation[] {
  const byReason = new Map<string, Explanation>();
  for (const explanation of explanations) {
    const previous = byReason.get(explanation.reason);
    byReason.set(
      explanation.reason,
      previous ? { ...previous, amount: previous.amount + explanation.amount } : explanation,
    );
  }
  return [...byReason.values()].filter(({ amount }) => amount !== 0n);
}
