import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { languages } from '../languages.ts';
import { amount, codeParam, cursorPageBody, numberCursor, pastedText, text, timestamp } from '../shapes.ts';
import { exportFormats, REFERENCE_PREFIX_MIN, statementStatuses, statementTypes } from '../statement.ts';
import { conditionEnds, exportStates } from '../states.ts';

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
  /** How the condition of a finished bonus ended: met, lost, cancelled or expired. */
  end: z.enum(conditionEnds).optional(),
  /** Free money in the wallet after the movement was entered. */
  balance: amount,
  createdAt: timestamp,
});

/** Restricts the movements; without a field, all of them. */
export const statementFilter = z.object({
  types: z.array(z.enum(statementTypes)).min(1).max(statementTypes.length).optional(),
  /** Code of a game that the money came from or went to. */
  game: codeParam.optional(),
  status: z.enum(statementStatuses).optional(),
  from: timestamp.optional(),
  /** Exclusive. */
  until: timestamp.optional(),
  /** Beginning of the reference, in any case. */
  reference: pastedText(64).min(REFERENCE_PREFIX_MIN).optional(),
  /**
   * As typed: an amount in digits of any script, without regard to its sign; a name of a game or its provider in any
   * language; or the beginning of a reference, from four characters on. What is none of these finds nothing.
   */
  search: text(64).min(1).optional(),
});
export type StatementFilter = z.output<typeof statementFilter>;

export const listStatement = endpoint({
  method: 'POST',
  path: '/api/statement',
  access: 'member',
  summary: 'The movements of the wallet, newest first',
  /**
   * `before`: the cursor `next` or `older` of an earlier reply to the same filter. Pages and `total` then begin after the
   * movements that precede it: page 1 continues where the reply ended, whatever has arrived since.
   */
  body: cursorPageBody(numberCursor).extend(statementFilter.shape),
  replies: {
    200: z.object({
      total: z.int(),
      statements: z.array(statementEntry),
      /** Position after the last of these movements; none on the last page. */
      next: numberCursor.optional(),
      /** With a filter, if there are movements that this call has not searched: how to reach them, and until when. */
      older: z.object({ before: numberCursor, searchedFrom: timestamp }).optional(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});

export const exportStatement = endpoint({
  method: 'POST',
  path: '/api/statement/export',
  access: 'member',
  summary: 'Starts to make a file of the movements in a period of up to 12 months, in parts; one at a time, ten a day',
  body: statementFilter.extend({
    format: z.enum(exportFormats),
    language: z.enum(languages),
    from: timestamp,
    /** Exclusive. */
    until: timestamp,
  }),
  replies: { 202: z.object({ id: z.uuid() }) },
  errors: [],
  malformed: 'NO_DATA',
  idempotent: true,
});

export const getStatementExport = endpoint({
  method: 'GET',
  path: '/api/statement/export/{id}',
  access: 'member',
  summary: 'State of a file, and its address once it is made',
  params: z.object({ id: z.uuid() }),
  replies: {
    200: z.object({
      state: z.enum(exportStates),
      /** Movements in the file; null until it is made. */
      lines: z.int().nullable(),
      /** Of the first part. Opens without a session, for ten minutes. */
      url: z.string().nullable(),
      /** In order of time, with at most 20,000 movements each; none until they are made. */
      parts: z.array(z.object({ url: z.string(), lines: z.int() })),
      expiresAt: timestamp.nullable(),
    }),
  },
  errors: [],
  malformed: 'NO_DATA',
});
