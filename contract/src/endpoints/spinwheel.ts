import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { errorCodes } from '../errors.ts';
import { amount, codeParam, pageBody, text, timestamp } from '../shapes.ts';
import { couponStates } from '../states.ts';

export const spinwheelActive = endpoint({
  method: 'GET',
  path: '/api/spinwheel/active',
  access: 'member',
  summary: 'Whether the spin wheel is open',
  reply: { 200: z.object({ isActive: z.boolean() }) },
  errors: [],
  malformed: 'NO_DATA',
});

/**
 * What a slice gives. NONE: nothing. MONEY, COINS and BONUS come by claiming the coupon; GOODS are handed over by
 * staff.
 */
export const prizeKinds = ['NONE', 'MONEY', 'COINS', 'BONUS', 'GOODS'] as const;
export type PrizeKind = (typeof prizeKinds)[number];

/** Why a spin or a claim was refused, in addition to the codes of the catalogue. */
export const spinErrors = ['SPIN_INACTIVE', 'NO_COIN', 'SPIN_BUSY'] as const;
export type SpinError = (typeof spinErrors)[number];
const spinError = z.enum([...spinErrors, ...errorCodes] as [string, ...string[]]);

export const slice = z.object({
  code: z.string(),
  label: z.string(),
  bgColor: z.string(),
  textColor: z.string(),
  /** Html of the operator, in the member's language; shown sanitised. */
  htmlDescription: z.string(),
  /** Its share of all weights of this version of the wheel, so that members know the odds. */
  weight: z.int(),
  prizeKind: z.enum(prizeKinds),
});

/**
 * Proof of fairness of a spin (see `fair-draw.ts`): the commitment is shown before it, the seed behind it after the
 * next rotation.
 */
const fairness = z.object({
  /** SHA-256 of the server's seed, hex. */
  commitment: z.string(),
  /**
   * Hash of the seed that follows at the next rotation: that seed is chosen before the server knows the client seed it
   * will be used with.
   */
  nextCommitment: z.string(),
  clientSeed: z.string(),
  /** Number of the next spin under this seed. */
  nonce: z.int(),
});

export const spinwheelSetup = endpoint({
  method: 'GET',
  path: '/api/spinwheel/setup',
  access: 'member',
  summary: 'The wheel, its odds, the member’s coins, and the commitment of the next spin',
  reply: {
    200: z.object({
      result: z.object({
        activeSpinwheel: z.object({
          name: z.string(),
          version: z.int(),
          /** SHA-256 of codes and weights in their order, hex: odds never change within a version. */
          weightsHash: z.string(),
          sliceList: z.array(slice),
        }),
        userCoin: z.int(),
        /** One deposit gives a coin for each whole multiple of this amount, in the member's currency. */
        coinPer: amount,
        fairness,
      }),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const spin = endpoint({
  method: 'POST',
  path: '/api/spinwheel/spin',
  access: 'member',
  summary: 'Spin the wheel for one coin; the same key again returns the same spin',
  reply: {
    200: z.object({
      success: z.boolean(),
      error: spinError.nullable(),
      result: z
        .object({
          spinId: z.string(),
          /** Of the slice. */
          code: z.string(),
          label: z.string(),
          remainingCoin: z.int(),
          /** Whether the prize became a coupon. */
          hasPrize: z.boolean(),
          version: z.int(),
          nonce: z.int(),
        })
        .nullable(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
  idempotent: true,
  tellsResult: true,
});

export const coupon = z.object({
  _id: z.string(),
  prize: z.object({
    name: z.string(),
    kind: z.enum(prizeKinds),
    slice: z.object({ code: z.string(), label: z.string() }),
  }),
  /** Money, or coins; 1 for a bonus and for goods. */
  amount,
  state: z.enum(couponStates),
  /**
   * Condition that a claim starts, in the member's currency: it starts at `base`, is met at `target` or the turnover target,
   * and lost at `floor`. Null: the prize has no condition.
   */
  condition: z.object({ base: amount, target: amount, floor: amount, turnoverTarget: amount.nullable() }).nullable(),
  expiresAt: timestamp.nullable(),
  createdAt: timestamp,
});

export const listCoupons = endpoint({
  method: 'GET',
  path: '/api/spinwheel/coupon',
  access: 'member',
  summary: 'Unclaimed coupons, newest first',
  reply: { 200: z.object({ coupons: z.array(coupon) }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const claimCoupon = endpoint({
  method: 'POST',
  path: '/api/spinwheel/coupon/claim',
  access: 'member',
  summary: 'Claim a coupon, once',
  body: z.object({ coupon: text(64).min(1) }),
  reply: {
    200: z.object({
      success: z.boolean(),
      error: spinError.nullable(),
      result: z.object({ label: z.string(), kind: z.enum(prizeKinds), amount, coin: z.int() }).nullable(),
    }),
  },
  errors: [
    'NO_CLAIMABLE_COUPON',
    'INVALID_PRIZE_CODE',
    'INVALID_COUPON_TYPE',
    'COUPON_EXPIRED',
    // Code of the bonus that the coupon gives.
    'NO_PROMOTION',
    'BONUS_ALREADY_ACTIVE',
    'BONUS_MAX_CLAIMED',
    'BONUS_FULL',
    'BONUS_CONDITION',
    'BONUS_REMAINING',
    'NO_WALLET',
  ],
  malformed: 'INVALID_CODE',
  tellsResult: true,
});

/** A spin that was made, with everything that proves it once its seed is revealed. */
const pastSpin = z.object({
  spinId: z.string(),
  version: z.int(),
  code: z.string(),
  label: z.string(),
  commitment: z.string(),
  /** Null until the seed is rotated. */
  serverSeed: z.string().nullable(),
  clientSeed: z.string(),
  nonce: z.int(),
  /** Codes and weights of the wheel as it was spun, in their order. */
  weights: z.array(z.object({ code: z.string(), weight: z.int() })),
  createdAt: timestamp,
});

export const listSpins = endpoint({
  method: 'POST',
  path: '/api/spinwheel/spins',
  access: 'member',
  summary: 'The member’s spins, newest first, to be verified',
  body: pageBody,
  reply: { 200: z.object({ total: z.int(), spins: z.array(pastSpin) }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const rotateSeed = endpoint({
  method: 'POST',
  path: '/api/spinwheel/seed',
  access: 'member',
  summary:
    'Reveal the server’s seed, activate the next one with a client seed of the member, and commit to the one after',
  body: z.object({ clientSeed: codeParam.regex(/^[\x20-\x7e]+$/).optional() }),
  reply: { 200: z.object({ revealed: z.object({ commitment: z.string(), serverSeed: z.string() }), fairness }) },
  errors: [],
  malformed: 'INVALID_CODE',
});
