import { z } from 'zod';

/** The used fields of WW's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = z.string().max(20);

const asked = {
  id: z.string().min(1).max(64),
  merchantReference: z.string(),
  qrPayload: z.string().max(512),
  expiresAt: time,
};

export const payment = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['pending', 'failed', 'expired', 'cancelled']) }),
  z.object({
    ...asked,
    status: z.literal('successful'),
    paid: z.object({
      transactionId: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/),
      amount: decimal,
      currency: z.string().max(8),
      at: time,
      payer: z.object({
        bankCode: z.string().max(32).nullish(),
        accountNo: z.string().max(64).nullish(),
        name: z.string().max(200).nullish(),
      }),
    }),
  }),
]);

export type WwPayment = z.output<typeof payment>;

/** A proven refusal; in another format it comes from a proxy. */
export const refusal = z.object({ error: z.object({ code: z.string().max(64) }) });

/** The only field read from a callback: which payment it is about. */
export const callbackClaim = z.object({
  payment: z.object({ merchantReference: z.string().regex(/^[A-Z0-9]{1,20}$/) }),
});
