import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import { amount, timestamp } from '../../shapes.ts';

/** What is known of one deposit method. */
export const methodFacts = z.object({
  /** As in `deposit-advice.ts`. */
  id: z.string(),
  isOpen: z.boolean(),
  /** When a closed method opens; null while it is open or when this is unknown. */
  opensAt: timestamp.nullable(),
  /** Fewer than three of the last five QR codes of ten minutes failed. */
  isHealthy: z.boolean(),
  /** Median time from payment to credit of the last day, else of the last week. */
  medianSeconds: z.int().nullable(),
  /** Number of payments in the median. */
  samples: z.int(),
  /** The member's last successful use. */
  lastUsedAt: timestamp.nullable(),
  /** Whether the member's last use did not fail. */
  lastWorked: z.boolean(),
});
export type MethodFacts = z.output<typeof methodFacts>;

const advice = z.object({
  at: timestamp,
  /** Amount that the member's own limit still allows; null without a limit. */
  headroom: amount.nullable(),
  freesAt: timestamp.nullable(),
  /** Amount that the member asked for at the last credited deposit, in whole units; null without one. */
  lastAmount: amount.nullable(),
  ways: z.array(methodFacts),
});
export type DepositAdvice = z.output<typeof advice>;

export const depositAdvice = endpoint({
  method: 'GET',
  path: '/api/deposit/advice',
  access: 'member',
  summary: 'What is known of each deposit method, for recommending one',
  replies: { 200: advice },
  errors: [],
  malformed: 'NO_DATA',
});
