import type { Queryable, Tx } from '../../platform/database/database.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { type ListedOffer, saveOfferSwitch, selectAllOffers } from './queries.ts';

export type { ListedOffer } from './queries.ts';

/** Every offer with its totals for operators. */
export const allOffers = (on: Queryable): Promise<ListedOffer[]> => selectAllOffers(on);

/**
 * Switches an offer on or off, and logs the operator and the reason. The change applies to the next claim, because
 * claims check it under the member lock. Received offers continue.
 * @returns false if the offer does not exist or already has this state
 */
export async function switchOffer(
  tx: Tx,
  { code, isOn, ...signature }: { code: string; isOn: boolean } & Signature,
): Promise<boolean> {
  if (!(await saveOfferSwitch(tx, code, isOn))) return false;
  await logOperator(tx, signature, { what: `offers ${isOn ? 'on' : 'off'}`, subject: code });
  return true;
}
