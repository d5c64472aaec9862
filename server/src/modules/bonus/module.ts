import type { Currency } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { Award } from '../incentive/module.ts';
import { seedOnce } from '../lookup/module.ts';
import { awardPrize, type Prize, findPrizeTerms, type PrizeTerms } from './award-prize.ts';
import type { BonusWork } from './bonus-work.ts';
import { bonusRoutes } from './routes.ts';
import { seedOffers } from './seed-offers.ts';

export type { Prize } from './award-prize.ts';
export { noPrizeIn } from './award-prize.ts';
export { allOffers, type OfferOnList, switchOffer } from './operate-offers.ts';

export type BonusModule = {
  /**
   * An offer of a fixed amount as a prize, without a deposit: for the `decide` of the giver.
   * @throws NO_PROMOTION (there is none, it is off, or gives no fixed amount in this currency), BONUS_ALREADY_ACTIVE
   */
  awardOf(tx: Tx, prize: Prize): Promise<Award>;
  /** Terms of an offer as a prize; undefined when it can't be a prize or is off. */
  findPrizeTerms(on: Queryable, code: string, currency: Currency): Promise<PrizeTerms | undefined>;
};

/** Bonuses and promotions. Fills in its offers on the first start. */
export async function bonusModule({
  ...routes
}: BonusWork & { app: FastifyInstance; variant: Variant }): Promise<BonusModule> {
  await routes.database.tx((tx) => seedOnce(tx, 'bonuses', seedOffers));
  bonusRoutes(routes);
  return { awardOf: (tx, prize) => awardPrize(routes.clock, tx, prize), findPrizeTerms };
}
