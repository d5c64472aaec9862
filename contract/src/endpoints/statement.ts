import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { amount, pageBody, timestamp } from '../shapes.ts';
import { conditionEnds } from '../states.ts';

export const statementTypes = ['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer'] as const;
export type StatementType = (typeof statementTypes)[number];

/** SUCCESS and FAILED are final; any other status is shown as in progress. */
export const statementStatuses = ['SUCCESS', 'FAILED', 'PROCESSING'] as const;
export type StatementStatus = (typeof statementStatuses)[number];

const linkedDescription = z.object({ description: z.string() });

export const statementEntry = z.object({
  _id: z.string(),
  statementType: z.enum(statementTypes),
  status: z.enum(statementStatuses),
  /**
   * WALLET, code of a game or gateway, `bank:SCB` for an operator account, BANK, WALLET_APP, the member's bank, or the
   * kind of incentive: BONUS, PROMOTION, REFUND, INVITE, LUCKYDRAW.
   */
  from: z.string(),
  to: z.string(),
  /** Signed effect on the wallet; 0 for a failed entry. The sum of all entries is the free money in the wallet. */
  amount,
  /** The requested amount, unsigned. */
  requested: amount,
  reference: z.string(),
  /** Reason of a failed withdrawal, as a code; null when not applicable. */
  reason: z.string().nullable(),
  /** Description of an incentive in the member's language, by kind; none for other movements. */
  bonus: linkedDescription.optional(),
  promotion: linkedDescription.optional(),
  invite: linkedDescription.optional(),
  refund: linkedDescription.optional(),
  luckydraw: linkedDescription.optional(),
  /** With `finish_bonus`: the end of its condition: met, lost, cancelled or expired. */
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
