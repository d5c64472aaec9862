import { bonusTypes } from '@krapao/contract/endpoints/bonus';
import type { Currency } from '@krapao/contract/money';
import { z } from 'zod';
import {
  amountShape,
  imageShape,
  instantShape,
  isWholeUnit,
  decimalToMinor,
  percentShape,
  positiveAmountShape,
  textsShape,
  WHOLE_KIP_MESSAGE,
} from '../../platform/documents/fields.ts';
import {
  type ConfigFamily,
  type ConfigSubject,
  NO_OBJECTION,
  type Preview,
  type Problem,
} from '../../platform/documents/subject.ts';
import { readSeed } from '../operator-data/index.ts';
import {
  deleteOffer,
  lockOffer,
  type OfferUse,
  saveOffer,
  selectOfferCodes,
  selectOfferDocument,
  selectOfferUse,
} from './offer-document-queries.ts';

const PREFIX = 'offer:';
const OFFER_CODE = /^[A-Z0-9_-]{1,32}$/;
const INTEGER_MAX = 2_147_483_647;

const amountsShape = z.strictObject({
  minimumDeposit: positiveAmountShape,
  /** Upper limit of a percentage. */
  maximum: positiveAmountShape.nullable().default(null),
  fixed: positiveAmountShape.nullable().default(null),
  rest: amountShape,
  budget: amountShape.nullable().default(null),
});

const offerShape = z
  .strictObject({
    code: z.string().regex(OFFER_CODE, 'must be 1 to 32 of A-Z, 0-9, _ and -'),
    kind: z.enum(['BONUS', 'PROMOTION', 'PRIZE']),
    isOn: z.boolean().default(true),
    startsAt: instantShape.nullable().default(null),
    endsAt: instantShape.nullable().default(null),
    type: z.enum(bonusTypes).default('limit'),
    maxReceived: z.int().min(1).max(1_000).default(1),
    percent: percentShape.min(0.01).nullable().default(null),
    percentSuccess: percentShape,
    percentFail: percentShape,
    turnoverTimes: percentShape.min(0.01).nullable().default(null),
    windowHours: z.int().min(1).max(8_760),
    quota: z.int().min(0).max(INTEGER_MAX).nullable().default(null),
    name: textsShape,
    description: textsShape,
    banners: z
      .array(z.strictObject({ image: imageShape, html: textsShape }))
      .max(20)
      .default([]),
    amounts: z.strictObject({ BAHT: amountsShape.exactOptional(), LAK: amountsShape.exactOptional() } satisfies Record<
      Currency,
      z.ZodType
    >),
    /** Order in the list. */
    position: z.int().min(0).max(INTEGER_MAX).default(0),
  })
  .superRefine((offer, context) => {
    for (const { path, message } of findTermProblems(offer)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });
export type OfferDocument = z.output<typeof offerShape>;

function findTermProblems(offer: OfferDocument): Problem[] {
  const { kind, type, maxReceived, startsAt, endsAt } = offer;
  const problems: Problem[] = [];
  const refuse = (path: string, message: string): void => void problems.push({ path: [path], message });
  if (offer.percentFail >= offer.percentSuccess) refuse('percentFail', 'must be below percentSuccess');
  if (kind !== 'BONUS' && (type !== 'limit' || maxReceived !== 1)) {
    refuse('type', `must be "limit" with maxReceived 1, because a ${kind} is received once`);
  }
  if (kind === 'PRIZE' && offer.percent !== null) refuse('percent', 'must be null: a PRIZE has fixed amounts');
  if (startsAt !== null && endsAt !== null && startsAt >= endsAt) refuse('endsAt', 'must be after startsAt');
  return [...problems, ...findAmountProblems(offer)];
}

function findAmountProblems({ percent, amounts }: OfferDocument): Problem[] {
  const path = ['amounts'];
  if (Object.keys(amounts).length === 0) return [{ path, message: 'needs a currency' }];
  const problems: Problem[] = [];
  for (const [currency, { fixed, maximum }] of Object.entries(amounts)) {
    const [needed, needless] = percent === null ? [fixed, maximum] : [maximum, fixed];
    if (needed !== null && needless === null) continue;
    const message =
      percent === null
        ? 'an offer without percent has fixed and no maximum'
        : 'an offer with percent has maximum and no fixed';
    problems.push({ path: [...path, currency], message });
  }
  for (const [name, amount] of Object.entries(amounts.LAK ?? {})) {
    if (amount === null || isWholeUnit(amount, 'LAK')) continue;
    problems.push({ path: [...path, 'LAK', name], message: WHOLE_KIP_MESSAGE });
  }
  return problems;
}

/** An offer with its amounts; null deletes one that was never received. Counts of receipts are no part of it. */
const offerSubject = (code: string): ConfigSubject<OfferDocument | null> => ({
  name: `${PREFIX}${code}`,
  schema: offerShape.refine((offer) => offer.code === code, { path: ['code'], message: `must be ${code}` }).nullable(),
  lock: (tx) => lockOffer(tx, code),
  read: (on) => selectOfferDocument(on, code),
  apply: (tx, offer) => (offer === null ? deleteOffer(tx, code) : saveOffer(tx, offer)),
  seed: () => {
    const offers = readSeed('bonuses') as { code: string }[];
    const position = offers.findIndex((offer) => offer.code === code);
    return position < 0 ? undefined : { ...offers[position], position };
  },
  async preview(on, offer, { current }) {
    if (current === null) return NO_OBJECTION;
    const use = await selectOfferUse(on, code);
    if (offer === null) return previewDelete(code, use);
    const isSwitchedOn = offer.isOn && (current as { isOn?: unknown }).isOn === false;
    const { problems, effects } = previewTerms(offer, use);
    return {
      problems,
      effects: isSwitchedOn ? [...effects, `${code} is on: members receive it under its terms.`] : effects,
    };
  },
});

function previewDelete(code: string, { receipts, waiting, counted }: OfferUse): Preview {
  if (receipts + waiting + counted === 0) return { problems: [], effects: [`${code} is deleted.`] };
  const message = `${code} was received or chosen ${receipts + waiting} times: set "isOn": false instead of deleting it`;
  return { problems: [{ path: [], message }], effects: [] };
}

function previewTerms(offer: OfferDocument, { counted, amounts }: OfferUse): Preview {
  const problems: Problem[] = [];
  if (offer.quota !== null && offer.quota < counted) {
    problems.push({ path: ['quota'], message: `${counted} are received already` });
  }
  for (const { currency, spent, spentText } of amounts) {
    const terms = offer.amounts[currency];
    if (terms === undefined && spent > 0n) {
      problems.push({ path: ['amounts', currency], message: `${spentText} of its budget is spent: keep the currency` });
    }
    if (terms && terms.budget !== null && decimalToMinor(terms.budget) < spent) {
      problems.push({ path: ['amounts', currency, 'budget'], message: `${spentText} is spent already` });
    }
  }
  return { problems, effects: offer.isOn ? [] : [`${offer.code} is off: no further member receives it.`] };
}

/** Offers, each a subject. */
export const configSubjects: ConfigFamily = {
  prefix: PREFIX,
  names: async (on) => (await selectOfferCodes(on)).map((code) => `${PREFIX}${code}`),
  seedNames: () => (readSeed('bonuses') as { code: string }[]).map(({ code }) => `${PREFIX}${code}`),
  subject: (name) => {
    const code = name.slice(PREFIX.length);
    return OFFER_CODE.test(code) ? offerSubject(code) : undefined;
  },
};
