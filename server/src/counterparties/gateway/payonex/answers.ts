import { parseAmount } from '@krapao/contract/money';
import { z } from 'zod';

/** The used fields of PAYONEX's answers. A malformed field invalidates the whole answer. */
const done = { success: z.literal(true) };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** A JSON number as amount; undefined for an invalid amount, which the caller handles. */
const amount = z.unknown().transform(parseAmount);

export const tokenAnswer = z.object({
  ...done,
  data: z.object({ token: z.string().regex(/^[\x21-\x7e]{1,2000}$/), expiresIn: z.int().positive() }),
});

export const customerAnswer = z.object({ ...done, data: z.object({ customerUuid: z.string().min(1).max(64) }) });

export const refusal = z.object({ success: z.literal(false), code: z.string().max(64) });

const payer = z.object({
  bankCode: z.string().max(32).nullish(),
  accountNo: z.string().max(64).nullish(),
  name: z.string().max(200).nullish(),
});

export const transactionAnswer = z.object({
  ...done,
  data: z.object({
    uuid: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    referenceId: z.string(),
    type: z.literal('DEPOSIT'),
    status: z.enum(['PROCESSING', 'SUCCESS', 'ON_HOLD', 'REJECTED', 'REFUNDED', 'ERROR']),
    /** The amount that the payer pays or has paid, before the fee. */
    amount,
    /** The received amount, as far as it is known. */
    receivedAmount: z.number().nullish(),
    qrCode: z.string().max(512),
    expiredAt: time,
    paidAt: time.nullish(),
    payer: payer.nullish(),
  }),
});

const held = z.object({
  id: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  amount,
  at: time,
  payer: payer.nullish(),
});

export const unmatchedAnswer = z.object({ ...done, data: z.array(held).max(1_000) });

export type Transaction = z.output<typeof transactionAnswer>['data'];

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ data: z.object({ referenceId: z.string().regex(/^[A-Z0-9]{1,20}$/) }) });
