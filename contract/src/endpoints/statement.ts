import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, pageBody, timestamp } from '../shapes.ts';
import { conditionEnds } from '../states.ts';

export const statementTypes = ['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer'] as const;
export type StatementType = (typeof statementTypes)[number];

/** SUCCESS and FAILED are final; anything else is shown as in progress. */
export const statementStatuses = ['SUCCESS', 'FAILED', 'PROCESSING'] as const;
export type StatementStatus = (typeof statementStatuses)[number];

const linked = z.object({ description: z.string() });

export const statementEntry = z.object({
  _id: z.string(),
  statementType: z.enum(statementTypes),
  status: z.enum(statementStatuses),
  /**
   * WALLET, a game's or gateway's code, `bank:SCB` for one of our accounts, BANK, WALLET_APP, the member's bank, or the
   * kind of incentive: BONUS, PROMOTION, REFUND, INVITE, LUCKYDRAW.
   */
  from: z.string(),
  to: z.string(),
  /** Signed effect on the wallet; 0 when it failed. All entries add up to the free money in the wallet. */
  amount,
  /** The requested amount, unsigned. */
  requested: amount,
  reference: z.string(),
  /** Why a withdrawal failed, as the bank reported it (a code); null when not applicable. */
  reason: z.string().nullable(),
  /** Source of an incentive's money, by kind: its description in the member's language; none for other movements. */
  bonus: linked.optional(),
  promotion: linked.optional(),
  invite: linked.optional(),
  refund: linked.optional(),
  luckydraw: linked.optional(),
  /** With `finish_bonus`: whether its condition was met, lost, cancelled or expired. */
  end: z.enum(conditionEnds).optional(),
  createdAt: timestamp,
});

export const listStatement = endpoint({
  method: 'POST',
  path: '/api/statement',
  access: 'member',
  summary: 'The movements of the wallet, newest first',
  body: pageBody,
  reply: { 200: z.object({ total: z.int(), statements: z.array(statementEntry) }) },
  errors: [],
  malformed: 'NO_DATA',
});
