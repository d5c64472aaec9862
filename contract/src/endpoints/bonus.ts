import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import type { ErrorCode } from '../errors.ts';
import { amount, codeParam, text, timestamp } from '../shapes.ts';
import { conditionEnds, conditionStates } from '../states.ts';

/** Limit on the receipt of a bonus: in total, per day, or per calendar week (Asia/Bangkok, from Monday). */
export const bonusTypes = ['limit', 'day', 'week'] as const;
export type BonusType = (typeof bonusTypes)[number];

/** Source of the condition. PROMOTION: a bonus received by code. */
export const conditionKinds = ['BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'COUPON'] as const;
export type ConditionKind = (typeof conditionKinds)[number];

/** The operator's image (URL or empty) and html, in the member's language; shown sanitised. */
export const banner = z.object({ image: z.string(), html: z.string() });

/**
 * Progress of a condition. `current` starts at `base` and changes with winnings and losses in games; other incoming
 * money does not count. Met at `target`, or when `turnover` reaches `turnoverTarget`; lost at `floor`. Play counts for
 * one condition at a time, the oldest first.
 */
export const conditionProgress = z.object({
  /** Reference of its grant; identifies the condition in a cancellation. */
  reference: z.string(),
  kind: z.enum(conditionKinds),
  /** Name for the member: the name of the bonus, the promotion's code. */
  name: z.string(),
  state: z.enum(conditionStates),
  base: amount,
  current: amount,
  target: amount,
  floor: amount,
  /**
   * Stakes of bets settled since the start, and the turnover that also meets the condition; null: turnover does not
   * count.
   */
  turnover: amount.nullable(),
  turnoverTarget: amount.nullable(),
  /** Stakes of open bets. While there are any, the condition is not lost. */
  outstanding: amount,
  percentSuccess: z.number(),
  percentFail: z.number(),
  startedAt: timestamp,
  /** Whether current play counts for the condition: not while an older one is open, nor before the credit. */
  isCounting: z.boolean(),
  /** Amounts that a cancellation would take back and leave, from stored data. */
  ifCleared: z.object({ takesBack: amount, keeps: amount }),
});

export const userBonus = z.object({
  _id: z.string(),
  isActive: z.boolean(),
  /** Receipt times, newest first; at most those that count towards `maxReceived`. */
  received: z.array(z.object({ updatedAt: timestamp })),
});

export const bonus = z.object({
  code: z.string(),
  name: z.string(),
  type: z.enum(bonusTypes),
  maxReceived: z.int(),
  percentSuccess: z.number(),
  percentFail: z.number(),
  /** Percentage of the deposit, or null for a fixed amount. */
  percent: z.number().nullable(),
  fixed: amount.nullable(),
  /** Maximum amount of the bonus. */
  maximum: amount.nullable(),
  /** Minimum qualifying deposit. */
  minimumDeposit: amount,
  /** Maximum age of the qualifying deposit, in hours. */
  windowHours: z.int(),
  /** Turnover that also meets the condition, as a multiple of deposit plus bonus; null: turnover doesn't count. */
  turnoverTimes: z.number().nullable(),
  banners: z.array(banner),
  /** Whether the limit is reached for the current day, the current week, or in total. */
  isExhausted: z.boolean(),
  /** Whether the budget of the campaign is used up. */
  isFull: z.boolean(),
  userBonus: userBonus.nullable(),
});

/** Terms of a bonus, for choosing it with a deposit. */
export const depositBonus = bonus.pick({
  code: true,
  name: true,
  percent: true,
  fixed: true,
  maximum: true,
  minimumDeposit: true,
  percentSuccess: true,
  percentFail: true,
  turnoverTimes: true,
});

/**
 * A bonus chosen with a deposit. PENDING until the money is credited and the server has received it; REFUSED: `reason`
 * and `detail` are those of a refused claim.
 */
export const chosenBonus = z.object({
  code: z.string(),
  name: z.string(),
  state: z.enum(['PENDING', 'RECEIVED', 'REFUSED']),
  /** The received amount. */
  amount: amount.nullable(),
  reason: z.string().nullable(),
  detail: z.string().nullable(),
});

/** Reasons why a new deposit gets no bonus, most important first. BONUS_MAX_CLAIMED ends with the day or week. */
export const depositBonusObstacles = [
  'BONUS_MAX_CLAIMED',
  'BONUS_ALREADY_ACTIVE',
  'WITHDRAW_IN_PROGRESS',
  'OPEN_BETS',
  'MONEY_LEFT',
] as const;
export type DepositBonusObstacle = (typeof depositBonusObstacles)[number];

export const listDepositBonuses = endpoint({
  method: 'GET',
  path: '/api/deposit/bonuses',
  access: 'member',
  summary: 'The bonuses that the member could receive on a new deposit, from stored data',
  replies: {
    200: z.object({
      bonuses: z.array(depositBonus),
      /** Most important reason why none is offered; null if one is, or if none would be without these reasons. */
      obstacle: z.enum(depositBonusObstacles).nullable(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

const activateErrors = [
  'NO_PROMOTION',
  'BONUS_ALREADY_ACTIVE',
  'BONUS_FULL',
  'BONUS_CONDITION',
  'BONUS_REMAINING',
  'NO_WALLET',
] as const satisfies readonly ErrorCode[];

/** The received bonus and its condition; null when the condition has already ended. */
const activatedBonus = userBonus.extend({ code: z.string(), amount, condition: conditionProgress.nullable() });

export const listBonuses = endpoint({
  method: 'GET',
  path: '/api/bonus',
  access: 'member',
  summary: 'The bonuses that the member is offered',
  replies: { 200: z.array(bonus) },
  errors: [],
  malformed: 'NO_DATA',
});

export const activateBonus = endpoint({
  method: 'GET',
  path: '/api/bonus/activate/{code}',
  access: 'member',
  summary: 'Receive a bonus',
  params: z.object({ code: codeParam }),
  replies: { 200: activatedBonus },
  errors: [...activateErrors, 'BONUS_MAX_CLAIMED'],
  malformed: 'NO_PROMOTION',
  changesState: true,
});

export const checkActiveBonus = endpoint({
  method: 'GET',
  path: '/api/bonus/check/active',
  access: 'member',
  summary: 'Whether a bonus or promotion is active, how far its condition is, and what cancelling it would do',
  replies: {
    200: z.object({
      status: z.boolean(),
      /** Type of the active bonus; `promotion` for a promotion; empty without one. */
      type: z.enum([...bonusTypes, 'promotion', '']),
      code: z.string(),
      condition: conditionProgress.nullable(),
      /** Current amounts that a cancellation would take back and leave; null without an active bonus. */
      ifCleared: z.object({ takesBack: amount, keeps: amount }).nullable(),
      /** All conditions that currently block withdrawals. */
      conditions: z.array(conditionProgress),
    }),
  },
  errors: ['NO_WALLET'],
  malformed: 'NO_DATA',
});

export const listEnded = endpoint({
  method: 'GET',
  path: '/api/bonus/ended',
  access: 'member',
  summary: 'Conditions that ended by themselves in the last week, newest first, to notify the member',
  replies: {
    200: z.array(
      z.object({
        /** Reference of the movement, and of the event that ends it. */
        reference: z.string(),
        kind: z.enum(conditionKinds),
        name: z.string(),
        how: z.enum(conditionEnds).exclude(['CANCELLED']),
        endedAt: timestamp,
      }),
    ),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const clearBonus = endpoint({
  method: 'GET',
  path: '/api/bonus/clear',
  access: 'member',
  summary: 'Cancel the active bonus or promotion: what is left of it and was won with it is taken back',
  replies: { 200: z.object({ message: z.literal('BONUS_CLEARED'), takenBack: amount, kept: amount }) },
  errors: ['BONUS_REMAINING', 'NO_WALLET'],
  malformed: 'NO_DATA',
  changesState: true,
});

export const cancelCondition = endpoint({
  method: 'POST',
  path: '/api/bonus/clear',
  access: 'member',
  summary: 'Give up any open condition: the remaining grant and its winnings are taken back',
  body: z.object({ reference: text(64).min(1) }),
  replies: { 200: z.object({ message: z.literal('BONUS_CLEARED'), takenBack: amount, kept: amount }) },
  errors: ['BONUS_REMAINING', 'NO_WALLET'],
  malformed: 'NO_DATA',
});

export const bonusRequirements = endpoint({
  method: 'GET',
  path: '/api/bonus/requirements/{code}',
  access: 'member',
  summary: 'Every requirement of a bonus that the member does not meet now, without querying the games',
  params: z.object({ code: codeParam }),
  /** Ordered as a claim would check them; `detail` is that of the refusal. */
  replies: { 200: z.object({ unmet: z.array(z.object({ code: z.string(), detail: z.string().nullable() })) }) },
  errors: ['NO_PROMOTION'],
  malformed: 'NO_PROMOTION',
});

export const checkBonusMinimum = endpoint({
  method: 'GET',
  path: '/api/bonus/check/minimum',
  access: 'member',
  summary: 'Least deposit that qualifies for any bonus on offer; 0 when there is none',
  replies: { 200: z.object({ minimum: amount }) },
  errors: [],
  malformed: 'NO_DATA',
});

export const promotion = z.object({
  code: z.string(),
  name: z.string(),
  percentSuccess: z.number(),
  percentFail: z.number(),
  /** The operator's html, in the member's language; shown sanitised. */
  description: z.string(),
  minimumDeposit: amount,
  windowHours: z.int(),
  turnoverTimes: z.number().nullable(),
});

export const findPromotion = endpoint({
  method: 'GET',
  path: '/api/promotion/find/{code}',
  access: 'member',
  summary: 'What a promotion code gives',
  params: z.object({ code: codeParam }),
  replies: { 200: promotion },
  errors: ['NO_PROMOTION', 'REQUEST_LIMIT_1MIN'],
  malformed: 'NO_PROMOTION',
});

export const activatePromotion = endpoint({
  method: 'GET',
  path: '/api/promotion/activate/{code}',
  access: 'member',
  summary: 'Receive what a promotion code gives',
  params: z.object({ code: codeParam }),
  replies: { 200: activatedBonus },
  errors: [...activateErrors, 'PROMOTION_RECEIVED', 'REQUEST_LIMIT_1MIN'],
  malformed: 'NO_PROMOTION',
  changesState: true,
});

export const currentPromotion = endpoint({
  method: 'GET',
  path: '/api/promotion/current',
  access: 'member',
  summary: 'The promotion that is active',
  replies: { 200: promotion },
  errors: [],
  malformed: 'NO_DATA',
});
