import { Refusal } from '../../platform/refusal.ts';
import type { Holder } from '../incentive/module.ts';
import { type Offer, readCode } from './bonus.ts';
import type { BonusWork } from './bonus-work.ts';
import { findOffered } from './queries.ts';

/**
 * The promotion that a code stands for. An unknown code is not distinguished from one that is over, off, or for members
 * of another currency.
 * @throws NO_PROMOTION
 */
export async function findPromotion(work: BonusWork, member: Holder, typed: string): Promise<Offer> {
  const code = readCode(typed);
  const { currency } = member;
  const offer =
    code && (await findOffered(work.database, { kind: 'PROMOTION', code, currency, now: work.clock.now() }));
  if (!offer) throw new Refusal('NO_PROMOTION');
  return offer;
}
