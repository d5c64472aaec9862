import type { Database, Queryable } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { type ListedOffer, saveSwitch, selectAllOffers } from './queries.ts';

export type { ListedOffer } from './queries.ts';

/** Every offer with what was given by it. */
export const allOffers = (on: Queryable): Promise<ListedOffer[]> => selectAllOffers(on);

/**
 * Switches an offer on or off, and logs who did it and why. It takes effect immediately: receiving checks it under the
 * member lock. Offers already received continue.
 * @returns false when there is no such offer, or it has this state already
 */
export function switchOffer(
  database: Database,
  { code, isOn, ...signature }: { code: string; isOn: boolean } & Signature,
): Promise<boolean> {
  return database.tx(async (tx) => {
    if (!(await saveSwitch(tx, code, isOn))) return false;
    await logOperator(tx, signature, { what: `offers ${isOn ? 'on' : 'off'}`, subject: code });
    return true;
  });
}
