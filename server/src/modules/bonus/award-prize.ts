import { currencies, type Currency, type Minor, ZERO } from '@krapao/contract/money';
import type { Clock } from '../../platform/clock.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import type { Award, ConditionTerms, Holder, Standing } from '../incentive/module.ts';
import { hasActive, type Offer, termsOf } from './bonus.ts';
import { findOffer, insertReceipt } from './queries.ts';

export type Prize = {
  member: Holder;
  standing: Standing;
  /** Of an offer that gives a fixed amount in the member's currency, and is no promotion. */
  code: string;
  /** What entitles to it: `coupon:ID`. */
  source: string;
};

/** The currencies whose members an offer can't be a prize for: it is a promotion, or gives no fixed amount in them. */
export async function noPrizeIn(on: Queryable, code: string): Promise<Currency[]> {
  const offers = await Promise.all(currencies.map((currency) => findOffer(on, code, currency)));
  return currencies.filter((_, at) => !isPrize(offers[at]));
}

const isPrize = (offer: Offer | undefined): offer is Offer & { fixed: Minor } =>
  offer !== undefined && offer.kind !== 'PROMOTION' && offer.fixed !== null;

/** Amount and condition of a prize. No part of it is the member's own money. */
export type PrizeTerms = { amount: Minor; condition: ConditionTerms };

/** Terms of an offer as a prize; undefined when it can't be a prize or is off. */
export async function findPrizeTerms(on: Queryable, code: string, currency: Currency): Promise<PrizeTerms | undefined> {
  const offer = await findOffer(on, code, currency);
  return isPrize(offer) && offer.isOn ? { amount: offer.fixed, condition: termsOf(offer, ZERO) } : undefined;
}

/**
 * Gives an offer as a prize, without a deposit: nothing of it is the member's own. It was won, so that its dates and
 * limits do not apply; the operator limits prizes when setting them. While the offer is off, the prize waits.
 * @param tx the transaction of `decide`
 * @throws NO_PROMOTION (there is none, it is off, or gives no fixed amount in this currency), BONUS_ALREADY_ACTIVE
 */
export async function awardPrize(clock: Clock, tx: Tx, { member, standing, code, source }: Prize): Promise<Award> {
  const offer = await findOffer(tx, code, member.currency);
  if (!isPrize(offer) || !offer.isOn) throw new Refusal('NO_PROMOTION');
  if (hasActive(standing)) throw new Refusal('BONUS_ALREADY_ACTIVE');
  const now = clock.now();
  const amount = offer.fixed;
  await insertReceipt(tx, {
    id: uuidV7(now),
    memberId: member.id,
    code,
    currency: member.currency,
    amount,
    depositOperation: null,
    receivedAt: now,
  });
  return { kind: 'BONUS', source, name: offer.name, amount, condition: termsOf(offer, ZERO) };
}
