import { type Currency, currencies, parseDecimal } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { Award } from '../incentive/index.ts';
import { seedOnce } from '../lookup/index.ts';
import { awardPrize, type Prize, findPrizeTerms, type PrizeTerms } from './receive-offer.ts';
import type { BonusDeps } from './bonus.ts';
import { bonusRoutes } from './http.ts';
import { bonusTypes } from '@krapao/contract/endpoints/bonus';
import { z } from 'zod';
import { insertOffer, insertOfferAmount } from './queries.ts';

export { type Prize, currenciesWithoutPrize } from './receive-offer.ts';
export { allOffers, type ListedOffer, switchOffer } from './admin.ts';

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
}: BonusDeps & { app: FastifyInstance; variant: Variant }): Promise<BonusModule> {
  await routes.database.tx((tx) => seedOnce(tx, 'bonuses', seedOffers));
  bonusRoutes(routes);
  return { awardOf: (tx, prize) => awardPrize(routes.clock, tx, prize), findPrizeTerms };
}

const text = z.object({ th: z.string(), la: z.string(), en: z.string() });
const percent = z.number().min(0).max(100_000).multipleOf(0.01);
const money = z.string().transform((typed, context) => {
  const amount = parseDecimal(typed);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
const seed = z.array(
  z.object({
    code: z.string(),
    kind: z.enum(['BONUS', 'PROMOTION', 'PRIZE']),
    startsAt: z.iso.datetime().nullable().default(null),
    endsAt: z.iso.datetime().nullable().default(null),
    type: z.enum(bonusTypes).default('limit'),
    maxReceived: z.int().default(1),
    percent: percent.nullable().default(null),
    percentSuccess: percent,
    percentFail: percent,
    turnoverTimes: z.number().nullable().default(null),
    windowHours: z.int(),
    quota: z.int().nullable().default(null),
    name: text,
    description: text,
    banners: z.array(z.object({ image: z.string(), html: text })).default([]),
    amounts: z.partialRecord(
      z.enum(currencies),
      z.object({
        minimumDeposit: money,
        maximum: money.nullable().default(null),
        fixed: money.nullable().default(null),
        rest: money,
        budget: money.nullable().default(null),
      }),
    ),
  }),
);

/** Fills in the offers of the text of `seed/bonuses.json`. */
export async function seedOffers(tx: Tx, content: unknown): Promise<void> {
  for (const [position, { amounts, ...offer }] of seed.parse(content).entries()) {
    await insertOffer(tx, offer, position);
    for (const [currency, amount] of Object.entries(amounts)) await insertOfferAmount(tx, offer.code, currency, amount);
  }
}
