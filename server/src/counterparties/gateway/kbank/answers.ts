import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../../outside-text.ts';
import { paymentNumber } from '../reported-payment.ts';

/** The used fields of the bank's answers. A malformed field invalidates the whole answer. */
const common = { statusCode: z.enum(['00', '10']), errorCode: outsideText(64).nullish() };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
const decimal = outsideText(20);

export const refusedAnswer = z.object({ ...common, statusCode: z.literal('10') });

export const createAnswer = z.object({
  ...common,
  statusCode: z.literal('00'),
  qrCode: outsideText(512),
  expireDt: time,
});

export const cancelAnswer = z.object({ ...common, statusCode: z.literal('00') });

const known = {
  ...common,
  statusCode: z.literal('00'),
  reference1: outsideText(64),
};

export const inquiryAnswer = z.discriminatedUnion('txnStatus', [
  z.object({
    ...known,
    txnStatus: z.literal('REQUESTED'),
    origPartnerTxnUid: outsideIdentity(64),
    qrCode: outsideText(512),
    expireDt: time,
  }),
  z.object({
    ...known,
    txnStatus: z.literal('PAID'),
    paidAmount: decimal,
    txnCurrencyCode: outsideText(8),
    paidDt: time,
    txnNo: paymentNumber,
    payerBankCode: optionalText(32),
    payerAccountNo: optionalText(64),
    payerName: optionalText(200),
  }),
  z.object({ ...known, txnStatus: z.enum(['CANCELLED', 'EXPIRED', 'VOIDED']) }),
  z.object({ ...common, statusCode: z.literal('00'), txnStatus: z.literal('NOT_FOUND') }),
]);

export type KbankInquiryAnswer = z.output<typeof inquiryAnswer>;

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ reference1: z.string().regex(/^[A-Z0-9]{1,20}$/) });
