import { createHash, createHmac } from 'node:crypto';
import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';
import { drawSlice, type Hashing, weightsText } from '@krapao/contract/fair-draw';
import type { Language } from '@krapao/contract/languages';
import { type Currency, smallestUnit } from '@krapao/contract/money';
import type { CouponState } from '@krapao/contract/states';
import { z } from 'zod';
import type { Ledger } from '../../ledger/index.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import { fillTemplate, formatMoneyShort, formatMoney } from '../../platform/message-template.ts';
import type { Clock } from '../../platform/time.ts';
import type { AccountModule } from '../account/index.ts';
import type { BonusModule } from '../bonus/index.ts';
import type { IncentiveModule } from '../incentive/index.ts';
import { amountPerCurrencySchema, percent, translatedSchema, type OperatorData } from '../operator-data/index.ts';

/** Operator setting: whether the wheel is open, the deposit amount per coin, and the days to claim a coupon. */
export const spinwheelSetting = {
  name: 'spinwheel',
  shape: z.object({
    isActive: z.boolean(),
    /** Deposit amount per coin: one coin for each whole multiple. */
    coinPer: amountPerCurrencySchema,
    couponDays: z.int().min(1),
  }),
};

const SLICE_CODE_PATTERN = /^[A-Z0-9][A-Z0-9-]{0,31}$/;
const colourShape = z.string().regex(/^#[0-9a-f]{6}$/i);
const WEIGHT_MAX = 1_000_000;

const prizeShape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('NONE') }),
  z.object({
    kind: z.literal('MONEY'),
    amount: amountPerCurrencySchema
      .refine(({ BAHT, LAK }) => BAHT > 0n && LAK > 0n, 'more than 0')
      .refine(({ LAK }) => LAK % smallestUnit('LAK') === 0n, 'whole kip'),
    /**
     * Target to reach before a withdrawal, and floor at which the prize is lost. Without a condition the prize can be
     * withdrawn immediately.
     */
    condition: z
      .object({ percentSuccess: percent, percentFail: percent })
      .refine((terms) => terms.percentFail < terms.percentSuccess, 'percentFail must be below percentSuccess')
      .optional(),
  }),
  z.object({ kind: z.literal('COINS'), coins: z.int().min(1).max(1_000) }),
  /** `bonus`: code of an offer. */
  z.object({ kind: z.literal('BONUS'), bonus: z.string().min(1).max(32) }),
  z.object({ kind: z.literal('GOODS') }),
]);

const sliceShape = z.object({
  code: z.string().regex(SLICE_CODE_PATTERN),
  /** At least 1: every slice shown on the wheel can be won. */
  weight: z.int().min(1).max(WEIGHT_MAX),
  bgColor: colourShape,
  textColor: colourShape,
  /** Texts with {{amount}} for a money prize, in the member's currency. */
  label: translatedSchema,
  prizeName: translatedSchema,
  htmlDescription: translatedSchema,
  prize: prizeShape,
});
export type Slice = z.output<typeof sliceShape>;

/** A wheel as stored in the database and in the operator's file. */
export const wheelShape = z.object({
  name: translatedSchema,
  slices: z
    .array(sliceShape)
    .min(2)
    .max(24)
    .refine((slices) => new Set(slices.map(({ code }) => code)).size === slices.length, 'a code twice'),
});

/** A published version of the wheel. */
export type Wheel = z.output<typeof wheelShape> & { version: number; weightsHash: string };

/** Codes and weights of the slices, which are public. */
export const sliceWeights = (slices: readonly Slice[]): { code: string; weight: number }[] =>
  slices.map(({ code, weight }) => ({ code, weight }));

/** SHA-256 of the public codes and weights in their order, hex. */
export const hashWeights = (slices: readonly Slice[]): string =>
  createHash('sha256')
    .update(weightsText(sliceWeights(slices)))
    .digest('hex');

/** The text of a slice in a language. Money is in whole units unless the amount has decimals. */
export function localizedText(
  { prize, ...texts }: Slice,
  field: 'label' | 'prizeName' | 'htmlDescription',
  { language, currency }: { language: Language; currency: Currency },
): string {
  const template = texts[field][language];
  if (prize.kind !== 'MONEY') return template;
  const formatAmount = field === 'label' ? formatMoneyShort : formatMoney;
  return fillTemplate(template, { amount: formatAmount(prize.amount[currency], currency) });
}

/** Value of a coupon for a slice: minor units, number of coins, or 1. Undefined without a prize. */
export function couponAmount({ prize }: Slice, currency: Currency): bigint | undefined {
  switch (prize.kind) {
    case 'NONE':
      return undefined;
    case 'MONEY':
      return prize.amount[currency];
    case 'COINS':
      return BigInt(prize.coins);
    case 'BONUS':
    case 'GOODS':
      return 1n;
  }
}

const hmacSha256: Hashing['hmacSha256'] = async (key, message) => createHmac('sha256', key).update(message).digest();

/** Index of the slice at which a spin stops. @param serverSeed 32 bytes, hex */
export const drawIndex = (
  slices: readonly Pick<Slice, 'weight'>[],
  { serverSeed, ...spinSeed }: { serverSeed: string; clientSeed: string; nonce: number },
): Promise<number> =>
  drawSlice(
    { ...spinSeed, serverSeed: Uint8Array.from(Buffer.from(serverSeed, 'hex')) },
    slices.map(({ weight }) => weight),
    hmacSha256,
  );

/** Hash of the server seed, published before a spin to commit to the seed. @param serverSeed 32 bytes, hex */
export const seedCommitment = (serverSeed: string): string =>
  createHash('sha256').update(Buffer.from(serverSeed, 'hex')).digest('hex');

/** A member's coins, and the deposit balances behind them in minor units. */
export type Purse = {
  coins: number;
  /** Sequence number of the last processed wallet entry. */
  seen: bigint;
  /** Deposits that have not been withdrawn again. */
  paidIn: bigint;
  /** Withdrawn deposits. Later deposits of this amount earn no coins. */
  owed: bigint;
};

export type Seed = {
  id: string;
  commitment: string;
  sealedSeed: Buffer;
  clientSeed: string;
  nonce: number;
};

export type Spin = {
  id: string;
  nonce: number;
  version: number;
  slice: number;
  sliceCode: string;
  coinsAfter: number;
  createdAt: Date;
};

export type Coupon = {
  id: string;
  memberId: string;
  version: number;
  sliceCode: string;
  kind: Exclude<PrizeKind, 'NONE'>;
  amount: bigint;
  state: CouponState;
  expiresAt: Date | null;
  createdAt: Date;
};

const COUPON_ID_PATTERN = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a text has the format of a coupon id: the database rejects other texts. */
export const isCouponId = (text: string): boolean => COUPON_ID_PATTERN.test(text);

/** Member who spins the wheel. */
export type SpinMember = { id: string; currency: Currency };

/** Dependencies of the spin wheel module. */
export type SpinwheelDeps = {
  database: Database;
  clock: Clock;
  secretBox: SecretBox;
  rateLimits: RateLimits;
  ledger: Pick<Ledger, 'cashAfter'>;
  readOperatorData: () => Promise<OperatorData>;
  incentive: Pick<IncentiveModule, 'grant'>;
  bonus: Pick<BonusModule, 'awardPrize' | 'findPrizeTerms'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/**
 * Deposit amount per coin, in the member's currency. Read before a transaction, because the setting may have to be
 * fetched.
 */
export async function coinPrice(
  { readOperatorData }: Pick<SpinwheelDeps, 'readOperatorData'>,
  { currency }: SpinMember,
): Promise<bigint> {
  return (await readOperatorData()).settingOf(spinwheelSetting).coinPer[currency];
}
