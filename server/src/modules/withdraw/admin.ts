import type { Database, Queryable } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { type OpenWithdrawal, saveDecision, selectOpenWithdrawals } from './queries.ts';
import type { PayoutProof } from './withdraw.ts';

export type { OpenWithdrawal } from './queries.ts';

/** Open payouts, oldest first. */
export const openPayouts = (on: Queryable): Promise<OpenWithdrawal[]> => selectOpenWithdrawals(on);

/**
 * Records an operator's proof about a payout. The resolver of a running server then moves the money, with the operator
 * as the ledger's actor.
 * @returns false if no payout with this reference waits for an operator
 */
export function decidePayout(
  database: Database,
  { reference, proof, ...signature }: { reference: string; proof: PayoutProof } & Signature,
): Promise<boolean> {
  return database.tx(async (tx) => {
    if (!(await saveDecision(tx, { reference, proof, ...signature }))) return false;
    await logOperator(tx, signature, { what: `payouts settle ${proof}`, subject: reference });
    return true;
  });
}
