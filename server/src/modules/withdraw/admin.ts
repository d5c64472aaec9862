import type { Database, Queryable } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
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
  { reference, proof, ...signature }: { reference: string; proof: Proof } & Signature,
): Promise<boolean> {
  return database.tx(async (tx) => {
    if (!(await saveDecision(tx, { reference, proof, ...signature }))) return false;
    await logOperator(tx, signature, { what: `payouts settle ${proof}`, subject: reference });
    return true;
  });
}
