import { z } from 'zod';

/** The used fields of FP's answers. A malformed field invalidates the whole answer. */
const time = z
  .int()
  .positive()
  .transform((ms) => new Date(ms));
const decimal = z.string().max(20);

const asked = {
  orderNo: z.string(),
  platformNo: z.string().min(1).max(64),
  qrText: z.string().max(512),
  expireTime: time,
};

const order = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['WAIT', 'CLOSED', 'EXPIRED']) }),
  z.object({
    ...asked,
    status: z.literal('PAID'),
    currency: z.string().max(8),
    paidAmount: decimal,
    payTime: time,
    tradeNo: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    payerBank: z.string().max(32).nullish(),
    payerAccount: z.string().max(64).nullish(),
    payerName: z.string().max(200).nullish(),
  }),
]);

export type FpOrder = z.output<typeof order>;

export const doneAnswer = z.object({ code: z.literal(0), data: order });

export const refusedAnswer = z.object({ code: z.int().min(1).max(9999) });

/** The only field read from a callback: which order it is about. */
export const callbackClaim = z.object({ orderNo: z.string().regex(/^[A-Z0-9]{1,20}$/) });
