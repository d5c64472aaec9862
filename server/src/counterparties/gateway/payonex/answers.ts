import { parseAmount } from '@krapao/contract/money';
import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../../outside-text.ts';
import { paymentNumber, reportedPayer } from '../reported-payment.ts';

/** The used fields of PAYONEX's answers. A malformed field invalidates the whole answer. */
const done = { success: z.literal(true) };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** A JSON number as amount; undefined for an invalid amount, which the caller handles. */
const amount = z.unknown().transform(parseAmount);

export const tokenAnswer = z.object({
  ...done,
  data: z.object({ token: z.string().regex(/^[\x21-\x7e]{1,2000}$/), expiresIn: z.int().positive() }),
});

export const customerAnswer = z.object({ ...done, data: z.object({ customerUuid: outsideIdentity(64) }) });

export const refusal = z.object({ success: z.literal(false), code: outsideText(64) });

export const transactionAnswer = z.object({
  ...done,
  data: z.object({
    uuid: paymentNumber,
    referenceId: outsideText(64),
    type: z.literal('DEPOSIT'),
    status: z.enum(['PROCESSING', 'SUCCESS', 'ON_HOLD', 'REJECTED', 'REFUNDED', 'ERROR']),
    /** The amount that the payer pays or has paid, before the fee. */
    amount,
    /** The received amount, as far as it is known. */
    receivedAmount: z.number().nullish(),
    qrCode: optionalText(512),
    expiredAt: time,
    paidAt: time.nullish(),
    payer: reportedPayer,
  }),
});

export const heldPayment = z.object({
  id: paymentNumber,
  amount,
  at: time,
  payer: reportedPayer,
});

export const unmatchedAnswer = z.object({ ...done, data: z.array(z.unknown()).max(1_000) });

export type Transaction = z.output<typeof transactionAnswer>['data'];

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ data: z.object({ referenceId: z.string().regex(/^[A-Z0-9]{1,20}$/) }) });
