import { z } from 'zod';
import { optionalText, outsideText } from '../../outside-text.ts';
import { paymentNumber } from '../reported-payment.ts';

/** The used fields of the gateway's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const createAnswer = z.object({
  transactionId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  qrCode: outsideText(512),
  expiredAt: time,
});

export const refusal = z.object({ message: outsideText(64) });

const known = { ...createAnswer.shape, tag1: outsideText(64) };

export const inquiryAnswer = z.discriminatedUnion('status', [
  z.object({ ...known, status: z.enum(['PENDING', 'EXPIRED']) }),
  z.object({
    tag1: outsideText(64),
    status: z.literal('PAYMENT_COMPLETED'),
    /** Received kip. */
    txnAmount: z.number(),
    currency: outsideText(8),
    refNo: paymentNumber,
    paidAt: time,
    sourceBank: optionalText(32),
    sourceAccount: optionalText(64),
    sourceName: optionalText(200),
  }),
]);

export type BcelInquiryAnswer = z.output<typeof inquiryAnswer>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ tag1: z.string().regex(/^[A-Z0-9]{1,20}$/) });
