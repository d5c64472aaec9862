import type { Database, Queryable } from '../../platform/database.ts';
import { type OpenWithdrawal, saveDecision, selectOpen } from './queries.ts';
import type { Proof } from './withdraw.ts';

export type { OpenWithdrawal } from './queries.ts';

/** Payouts that are not over, oldest first. */
export const openPayouts = (on: Queryable): Promise<OpenWithdrawal[]> => selectOpen(on);

/**
 * Writes down what an operator has found out of a payout that waits for one. The money moves on it: the resolver of a
 * running server follows, with the operator as the actor of the ledger's operation.
 * @returns false when no payout of that reference waits for an operator
 */
export function decidePayout(
  database: Database,
  decision: { reference: string; proof: Proof; by: string; why: string },
): Promise<boolean> {
  return database.tx((tx) => saveDecision(tx, decision));
}
