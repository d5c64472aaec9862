import { z } from 'zod';
import { outsideIdentity, outsideText } from '../../outside-text.ts';
import { paymentNumber, reportedPayer } from '../reported-payment.ts';

/** The used fields of WW's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = outsideText(20);

const named = { merchantReference: outsideText(64) };
const asked = {
  ...named,
  id: outsideIdentity(64),
  qrPayload: outsideText(512),
  expiresAt: time,
};

export const payment = z.discriminatedUnion('status', [
  z.object({ ...asked, status: z.enum(['pending', 'failed', 'expired', 'cancelled']) }),
  z.object({
    ...named,
    status: z.literal('successful'),
    paid: z.object({
      transactionId: paymentNumber,
      amount: decimal,
      currency: outsideText(8),
      at: time,
      payer: reportedPayer,
    }),
  }),
]);

export type WwPayment = z.output<typeof payment>;

/** A proven refusal; in another format it comes from a proxy. */
export const refusal = z.object({ error: z.object({ code: outsideText(64) }) });

/** The only field read from a callback: which payment it is about. */
export const callbackClaim = z.object({
  payment: z.object({ merchantReference: z.string().regex(/^[A-Z0-9]{1,20}$/) }),
});
