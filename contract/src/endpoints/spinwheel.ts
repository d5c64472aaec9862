import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { errorCodes } from '../errors.ts';
import { amount, codeParam, cursorPageBody, text, timestamp, uuidCursor } from '../shapes.ts';
import { couponStates } from '../states.ts';

export const spinwheelActive = endpoint({
  method: 'GET',
  path: '/api/spinwheel/active',
  access: 'member',
  summary: 'Whether the spin wheel is open',
  replies: { 200: z.object({ isActive: z.boolean() }) },
  errors: [],
  malformed: 'NO_DATA',
});

/**
 * Prize of a slice. NONE: nothing. MONEY, COINS and BONUS are received by claiming the coupon; staff hand over GOODS.
 */
export const prizeKinds = ['NONE', 'MONEY', 'COINS', 'BONUS', 'GOODS'] as const;
export type PrizeKind = (typeof prizeKinds)[number];

/** Reasons of a refused spin or claim, in addition to the codes of the catalogue. */
export const spinErrors = ['SPIN_INACTIVE', 'NO_COIN', 'SPIN_BUSY'] as const;
export type SpinError = (typeof spinErrors)[number];
const spinError = z.enum([...spinErrors, ...errorCodes] as [string, ...string[]]);

export const slice = z.object({
  code: z.string(),
  label: z.string(),
  bgColor: z.string(),
  textColor: z.string(),
  /** The operator's html, in the member's language; shown sanitised. */
  htmlDescription: z.string(),
  /** Weight of the slice among all weights of this wheel version; shows members the odds. */
  weight: z.int(),
  prizeKind: z.enum(prizeKinds),
});

/**
 * Fairness proof of a spin (see `fair-draw.ts`): the commitment is shown before the spin, its seed after the next
 * rotation.
 */
const fairnessData = z.object({
  /** SHA-256 of the server's seed, hex. */
  commitment: z.string(),
  /** Hash of the seed after the next rotation. The server chooses that seed before it knows the client seed. */
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
  replies: {
    200: z.object({
      result: z.object({
        activeSpinwheel: z.object({
          name: z.string(),
          version: z.int(),
          /** SHA-256 of codes and weights in order, hex: odds never change within a version. */
          weightsHash: z.string(),
          sliceList: z.array(slice),
        }),
        userCoin: z.int(),
        /** Deposit amount per coin, in the member's currency; only whole multiples count. */
        coinPer: amount,
        fairness: fairnessData,
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
  replies: {
    200: z.object({
      success: z.boolean(),
      error: spinError.nullable(),
      result: z
        .object({
          spinId: z.string(),
          /** Code of the slice. */
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
  /** Amount of money or number of coins; 1 for a bonus and for goods. */
  amount,
  state: z.enum(couponStates),
  /**
   * Condition that a claim starts, in the member's currency: starts at `base`, met at `target` or the turnover target,
   * lost at `floor`. Null: no condition.
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
  replies: { 200: z.object({ coupons: z.array(coupon) }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const claimCoupon = endpoint({
  method: 'POST',
  path: '/api/spinwheel/coupon/claim',
  access: 'member',
  summary: 'Claim a coupon, once',
  body: z.object({ coupon: text(64).min(1) }),
  replies: {
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
    // Code of the bonus in the coupon.
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

/** A past spin, with everything that proves it once its seed is revealed. */
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
  /** Codes and weights of the wheel at the time of the spin, in order. */
  weights: z.array(z.object({ code: z.string(), weight: z.int() })),
  createdAt: timestamp,
});

export const listSpins = endpoint({
  method: 'POST',
  path: '/api/spinwheel/spins',
  access: 'member',
  summary: 'The member’s spins, newest first, to be verified',
  body: cursorPageBody(uuidCursor),
  replies: { 200: z.object({ total: z.int(), spins: z.array(pastSpin), next: uuidCursor.optional() }) },
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
  replies: {
    200: z.object({ revealed: z.object({ commitment: z.string(), serverSeed: z.string() }), fairness: fairnessData }),
  },
  errors: [],
  malformed: 'INVALID_CODE',
});
