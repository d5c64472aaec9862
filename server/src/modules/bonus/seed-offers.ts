import { bonusTypes } from '@krapao/contract/endpoints/bonus';
import { currencies, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { Tx } from '../../platform/database/database.ts';
import { insertOffer, insertOfferAmount } from './queries.ts';

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
