import { createHash, createHmac } from 'node:crypto';
import type { PrizeKind } from '@krapao/contract/endpoints/spinwheel';
import { drawSlice, type Hashing, weightsText } from '@krapao/contract/fair-draw';
import type { Language } from '@krapao/contract/languages';
import { type Currency, smallestUnit } from '@krapao/contract/money';
import type { CouponState } from '@krapao/contract/states';
import { z } from 'zod';
import { fillTemplate, formatMoneyShort, formatMoney } from '../../platform/message-template.ts';
import { perCurrency, percent, translated, type SiteConfig } from '../lookup/index.ts';
import type { Ledger } from '../../ledger/index.ts';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { RateLimits } from '../../platform/http/rate-limit.ts';
import type { SecretBox } from '../../platform/crypto/secret-box.ts';
import type { AccountModule } from '../account/index.ts';
import type { BonusModule } from '../bonus/index.ts';
import type { IncentiveModule } from '../incentive/index.ts';

/** Whether the spin wheel is open to members, what a coin is given for, and how long a coupon can be claimed. */
export const spinwheelSetting = {
  name: 'spinwheel',
  shape: z.object({
    isActive: z.boolean(),
    /** A coin for each whole multiple of it in one deposit. */
    coinPer: perCurrency,
    couponDays: z.int().min(1),
  }),
};

const CODE = /^[A-Z0-9][A-Z0-9-]{0,31}$/;
const colour = z.string().regex(/^#[0-9a-f]{6}$/i);
const WEIGHT_MAX = 1_000_000;

const prize = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('NONE') }),
  z.object({
    kind: z.literal('MONEY'),
    amount: perCurrency
      .refine(({ BAHT, LAK }) => BAHT > 0n && LAK > 0n, 'more than 0')
      .refine(({ LAK }) => LAK % smallestUnit('LAK') === 0n, 'whole kip'),
    /**
     * Target to reach before a withdrawal, and floor at which the prize is lost; without it the prize is free
     * immediately.
     */
    condition: z
      .object({ percentSuccess: percent, percentFail: percent })
      .refine((asked) => asked.percentFail < asked.percentSuccess, 'percentFail must be below percentSuccess')
      .optional(),
  }),
  z.object({ kind: z.literal('COINS'), coins: z.int().min(1).max(1_000) }),
  /** The code of an offer. */
  z.object({ kind: z.literal('BONUS'), bonus: z.string().min(1).max(32) }),
  z.object({ kind: z.literal('GOODS') }),
]);

const slice = z.object({
  code: z.string().regex(CODE),
  /** What is shown on the wheel can be won. */
  weight: z.int().min(1).max(WEIGHT_MAX),
  bgColor: colour,
  textColor: colour,
  /** These three with {{amount}} for the money of a prize, in the member's currency. */
  label: translated,
  prizeName: translated,
  htmlDescription: translated,
  prize,
});
export type Slice = z.output<typeof slice>;

/** A wheel as stored in the database and in the operator's file. */
export const wheelShape = z.object({
  name: translated,
  slices: z
    .array(slice)
    .min(2)
    .max(24)
    .refine((all) => new Set(all.map(({ code }) => code)).size === all.length, 'a code twice'),
});

/** A published version of the wheel. */
export type Wheel = z.output<typeof wheelShape> & { version: number; weightsHash: string };

/** Codes and weights, which are public. */
export const sliceWeights = (slices: readonly Slice[]): { code: string; weight: number }[] =>
  slices.map(({ code, weight }) => ({ code, weight }));

/** SHA-256 of codes and weights in their order, hex. */
export const hashWeights = (slices: readonly Slice[]): string =>
  createHash('sha256')
    .update(weightsText(sliceWeights(slices)))
    .digest('hex');

/** The text of a slice in a language; an amount of money is in whole units unless it has others. */
export function localizedText(
  { prize: won, ...texts }: Slice,
  which: 'label' | 'prizeName' | 'htmlDescription',
  { language, currency }: { language: Language; currency: Currency },
): string {
  const text = texts[which][language];
  if (won.kind !== 'MONEY') return text;
  const written = which === 'label' ? formatMoneyShort : formatMoney;
  return fillTemplate(text, { amount: written(won.amount[currency], currency) });
}

/** What a coupon for a slice is worth: minor units, coins, or 1. Undefined where there is none. */
export function couponAmount({ prize: won }: Slice, currency: Currency): bigint | undefined {
  switch (won.kind) {
    case 'NONE':
      return undefined;
    case 'MONEY':
      return won.amount[currency];
    case 'COINS':
      return BigInt(won.coins);
    case 'BONUS':
    case 'GOODS':
      return 1n;
  }
}

const hmacSha256: Hashing['hmacSha256'] = async (key, message) => createHmac('sha256', key).update(message).digest();

/** Index of the slice at which a spin stops. @param serverSeed 32 bytes, hex */
export const drawIndex = (
  slices: readonly Pick<Slice, 'weight'>[],
  { serverSeed, ...spin }: { serverSeed: string; clientSeed: string; nonce: number },
): Promise<number> =>
  drawSlice(
    { ...spin, serverSeed: Uint8Array.from(Buffer.from(serverSeed, 'hex')) },
    slices.map(({ weight }) => weight),
    hmacSha256,
  );

/** What the house is bound to before a spin. @param serverSeed 32 bytes, hex */
export const seedCommitment = (serverSeed: string): string =>
  createHash('sha256').update(Buffer.from(serverSeed, 'hex')).digest('hex');

/** What a member has of coins, and of the money behind them in minor units. */
export type Purse = {
  coins: number;
  /** Last wallet entry whose deposits and payouts are processed. */
  seen: bigint;
  /** What of the deposits has not been withdrawn again. */
  paidIn: bigint;
  /** What was withdrawn of them: the next deposits bring nothing for as much. */
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

const COUPON_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a text from outside can be the id of a coupon: the database refuses to compare an id with any other. */
export const isCouponId = (text: string): boolean => COUPON_ID.test(text);

/** Who spins. */
export type SpinMember = { id: string; currency: Currency };

/** What the use cases of `spinwheel` work with. */
export type SpinwheelDeps = {
  database: Database;
  clock: Clock;
  secretBox: SecretBox;
  rateLimits: RateLimits;
  ledger: Pick<Ledger, 'cashAfter'>;
  operatorData: () => Promise<SiteConfig>;
  incentive: Pick<IncentiveModule, 'grant'>;
  bonus: Pick<BonusModule, 'awardOf' | 'findPrizeTerms'>;
  account: Pick<AccountModule, 'assertWalletOpen'>;
};

/** What a coin is given for, in the member's currency. Read before a transaction: it may have to be fetched. */
export async function coinPrice(
  { operatorData }: Pick<SpinwheelDeps, 'operatorData'>,
  { currency }: SpinMember,
): Promise<bigint> {
  return (await operatorData()).settingOf(spinwheelSetting).coinPer[currency];
}
