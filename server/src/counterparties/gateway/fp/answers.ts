import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../../outside-text.ts';
import { paymentNumber } from '../reported-payment.ts';

/** The used fields of FP's answers. A malformed field invalidates the whole answer. */
const time = z
  .int()
  .positive()
  .transform((ms) => new Date(ms));
const decimal = outsideText(20);

const named = { orderNo: outsideText(64) };
const asked = {
  ...named,
  platformNo: outsideIdentity(64),
  qrText: outsideText(512),
  expireTime: time,
};

const order = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['WAIT', 'CLOSED', 'EXPIRED']) }),
  z.object({
    ...named,
    status: z.literal('PAID'),
    currency: outsideText(8),
    paidAmount: decimal,
    payTime: time,
    tradeNo: paymentNumber,
    payerBank: optionalText(32),
    payerAccount: optionalText(64),
    payerName: optionalText(200),
  }),
]);

export type FpOrder = z.output<typeof order>;

export const doneAnswer = z.object({ code: z.literal(0), data: order });

export const refusedAnswer = z.object({ code: z.int().min(1).max(9999) });

/** The only field read from a callback: which order it is about. */
export const callbackClaim = z.object({ orderNo: z.string().regex(/^[A-Z0-9]{1,20}$/) });
