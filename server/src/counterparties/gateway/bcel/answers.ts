import { z } from 'zod';

/** The used fields of the gateway's answers. A malformed field invalidates the whole answer. */
const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));

export const createAnswer = z.object({
  transactionId: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  qrCode: z.string().max(512),
  expiredAt: time,
});

export const refusal = z.object({ message: z.string().max(64) });

const known = { ...createAnswer.shape, tag1: z.string() };

export const inquiryAnswer = z.discriminatedUnion('status', [
  z.object({ ...known, status: z.enum(['PENDING', 'EXPIRED']) }),
  z.object({
    ...known,
    status: z.literal('PAYMENT_COMPLETED'),
    /** Received kip. */
    txnAmount: z.number(),
    currency: z.string().max(8),
    refNo: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    paidAt: time,
    sourceBank: z.string().max(32).nullish(),
    sourceAccount: z.string().max(64).nullish(),
    sourceName: z.string().max(200).nullish(),
  }),
]);

export type BcelInquiryAnswer = z.output<typeof inquiryAnswer>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ tag1: z.string().regex(/^[A-Z0-9]{1,20}$/) });
