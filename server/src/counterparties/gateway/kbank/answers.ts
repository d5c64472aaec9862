import { z } from 'zod';

/** The used fields of the bank's answers. A malformed field invalidates the whole answer. */
const common = { statusCode: z.enum(['00', '10']), errorCode: z.string().max(64).nullish() };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = z.string().max(20);

export const refusedAnswer = z.object({ ...common, statusCode: z.literal('10') });

export const createAnswer = z.object({
  ...common,
  statusCode: z.literal('00'),
  qrCode: z.string().max(512),
  expireDt: time,
});

export const cancelAnswer = z.object({ ...common, statusCode: z.literal('00') });

const known = {
  ...common,
  statusCode: z.literal('00'),
  origPartnerTxnUid: z.string(),
  reference1: z.string(),
};

export const inquiryAnswer = z.discriminatedUnion('txnStatus', [
  z.object({ ...known, txnStatus: z.literal('REQUESTED'), qrCode: z.string().max(512), expireDt: time }),
  z.object({
    ...known,
    txnStatus: z.literal('PAID'),
    paidAmount: decimal,
    txnCurrencyCode: z.string().max(8),
    paidDt: time,
    txnNo: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
    payerBankCode: z.string().max(32).nullish(),
    payerAccountNo: z.string().max(64).nullish(),
    payerName: z.string().max(200).nullish(),
  }),
  z.object({ ...known, txnStatus: z.enum(['CANCELLED', 'EXPIRED', 'VOIDED']) }),
  z.object({ ...common, statusCode: z.literal('00'), txnStatus: z.literal('NOT_FOUND') }),
]);

export type KbankInquiryAnswer = z.output<typeof inquiryAnswer>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ reference1: z.string().regex(/^[A-Z0-9]{1,20}$/) });
