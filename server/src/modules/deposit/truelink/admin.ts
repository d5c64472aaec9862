import type { Database, Queryable } from '../../../platform/database/database.ts';
import { logOperator, type Signature } from '../../../platform/operator-log.ts';
import { requestInquiry, selectManual } from './queries.ts';

/** Gift links that wait for an operator, oldest first. */
export const unresolvedGifts = (db: Queryable): Promise<{ reference: string; memberId: string }[]> => selectManual(db);

/** Requests another inquiry about a gift. @returns false when no gift with this reference waits for an operator */
export function retryGift(database: Database, reference: string, signature: Signature): Promise<boolean> {
  return database.tx(async (tx) => {
    if (!(await requestInquiry(tx, reference))) return false;
    await logOperator(tx, signature, { what: 'arrivals inquire', subject: reference });
    return true;
  });
}
