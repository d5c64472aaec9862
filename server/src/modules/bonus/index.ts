import { bonusTypes } from '@krapao/contract/endpoints/bonus';
import { type Currency, currencies, parseDecimal } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import { timestamp } from '@krapao/contract/shapes';
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { Job } from '../../platform/jobs/job.ts';
import type { BonusChoice } from '../deposit/bonus-choice.ts';
import type { Award } from '../incentive/index.ts';
import { seedOnce } from '../operator-data/index.ts';
import type { BonusDeps } from './bonus.ts';
import { checkChoice, startDepositBonuses } from './deposit-bonus.ts';
import { bonusRoutes } from './http.ts';
import { insertOffer, insertOfferAmount } from './queries.ts';
import { awardPrize, type PrizeRequest, findPrizeTerms, type PrizeTerms } from './receive-offer.ts';

export { type ChosenBonus, depositBonusQueue, findChosenBonus } from './deposit-bonus-queries.ts';
export { type PrizeRequest, currenciesWithoutPrize } from './receive-offer.ts';
export { configSubjects } from './offer-subject.ts';
export { allOffers, type ListedOffer, switchOffer } from './admin.ts';

export type BonusModule = {
  /**
   * Awards an offer with a fixed amount as a prize, without a deposit. Called in `decide` of a grant.
   * @throws NO_PROMOTION (no such offer, it is off, or has no fixed amount in this currency), BONUS_ALREADY_ACTIVE
   */
  awardPrize(tx: Tx, prize: PrizeRequest): Promise<Award>;
  /** Terms of an offer as a prize; undefined if the offer is off or can't be a prize. */
  findPrizeTerms(on: Queryable, code: string, currency: Currency): Promise<PrizeTerms | undefined>;
  choice: BonusChoice;
  /** Starts the worker that receives bonuses chosen with deposits. */
  start(): void;
  stop(): Promise<void>;
};

/** Creates the module of bonuses and promotions. Seeds its offers on the first start. */
export async function bonusModule({
  ...routeDeps
}: BonusDeps & { app: FastifyInstance; variant: Variant }): Promise<BonusModule> {
  await routeDeps.database.tx((tx) => seedOnce(tx, 'bonuses', seedOffers));
  bonusRoutes(routeDeps);
  let worker: Job | undefined;
  return {
    awardPrize: (tx, prize) => awardPrize(routeDeps.clock, tx, prize),
    findPrizeTerms,
    choice: { check: (currency, rawCode, amount) => checkChoice(routeDeps, currency, rawCode, amount) },
    start: () => {
      worker ??= startDepositBonuses(routeDeps);
    },
    stop: async () => {
      await worker?.stop();
      worker = undefined;
    },
  };
}

const localizedTextShape = z.object({ th: z.string(), la: z.string(), en: z.string() });
const percentShape = z.number().min(0).max(100_000).multipleOf(0.01);
const moneyShape = z.string().transform((decimalText, context) => {
  const amount = parseDecimal(decimalText);
  if (amount !== undefined) return amount;
  context.addIssue({ code: 'custom', message: 'not an amount' });
  return z.NEVER;
});
const seedShape = z.array(
  z.object({
    code: z.string(),
    kind: z.enum(['BONUS', 'PROMOTION', 'PRIZE']),
    startsAt: timestamp.nullable().default(null),
    endsAt: timestamp.nullable().default(null),
    type: z.enum(bonusTypes).default('limit'),
    maxReceived: z.int().default(1),
    percent: percentShape.nullable().default(null),
    percentSuccess: percentShape,
    percentFail: percentShape,
    turnoverTimes: z.number().nullable().default(null),
    windowHours: z.int(),
    quota: z.int().nullable().default(null),
    name: localizedTextShape,
    description: localizedTextShape,
    banners: z.array(z.object({ image: z.string(), html: localizedTextShape })).default([]),
    amounts: z.partialRecord(
      z.enum(currencies),
      z.object({
        minimumDeposit: moneyShape,
        maximum: moneyShape.nullable().default(null),
        fixed: moneyShape.nullable().default(null),
        rest: moneyShape,
        budget: moneyShape.nullable().default(null),
      }),
    ),
  }),
);

/** Inserts the offers of `seed/bonuses.json`. */
export async function seedOffers(tx: Tx, content: unknown): Promise<void> {
  for (const [position, { amounts, ...offer }] of seedShape.parse(content).entries()) {
    await insertOffer(tx, offer, position);
    for (const [currency, amount] of Object.entries(amounts)) await insertOfferAmount(tx, offer.code, currency, amount);
  }
}
