import { z } from 'zod';
import { endpoint } from '../../endpoint.ts';
import type { ErrorCode } from '../../errors.ts';
import { amount, amountInput, bonusChoice, codeParam, done, text, timestamp } from '../../shapes.ts';

/** The payee that the QR names. A scheme, name or id that it lacks is null. */
export const payee = z.object({
  name: z.string().nullable(),
  /** The last four characters of the biller, PromptPay id or merchant: `x-4821`. */
  id: z.string().nullable(),
  scheme: z.enum(['PROMPTPAY', 'LAO_QR']).nullable(),
});

/**
 * A QR code to pay, or none: then all fields but `hasQrcode`, and possibly `message` and `reference`, are null.
 * `message` is QR_FAIL when the gateway refused the code or did not reply.
 */
export const qrcode = z.object({
  hasQrcode: z.boolean(),
  qrcodeId: z.string().nullable(),
  /** SVG markup. */
  qrcode: z.string().nullable(),
  /** Text that the QR code encodes. */
  payload: z.string().nullable(),
  /** Amount to pay. A gateway may change the requested amount by less than one baht to identify the payment. */
  amount: amount.nullable(),
  requested: amount.nullable(),
  expireIn: timestamp.nullable(),
  message: z.string().nullable(),
  /** Null for a QR of unknown form; absent in replies of older nodes. */
  payee: payee.nullable().optional(),
  /** The bonus chosen with it. */
  bonusCode: z.string().nullable().optional(),
  /** Key of `GET /api/money/{key}`; absent in replies of older nodes. */
  reference: z.string().nullable().optional(),
});

const bankParams = z.object({ bankCode: codeParam });
const gatewayErrors = ['NO_BANK'] as const satisfies readonly ErrorCode[];

export const getQrcode = endpoint({
  method: 'GET',
  path: '/api/qrcode/{bankCode}',
  access: 'member',
  summary: 'The live QR of a gateway, if there is one',
  params: bankParams,
  replies: { 200: qrcode },
  errors: gatewayErrors,
  malformed: 'NO_BANK',
});

export const createQrcode = endpoint({
  method: 'POST',
  path: '/api/qrcode/{bankCode}',
  access: 'member',
  summary: 'Ask a gateway for a QR to pay an amount with',
  params: bankParams,
  body: z.object({ amount: amountInput, bonus: bonusChoice }),
  replies: { 200: qrcode },
  errors: [...gatewayErrors, 'QR_FAIL', 'REQUEST_LIMIT_1MIN', 'NO_PROMOTION', 'BONUS_CONDITION'],
  alsoSent: { 409: ['QR_FAIL'] },
  malformed: 'QR_FAIL',
  idempotent: true,
});

export const cancelQrcode = endpoint({
  method: 'DELETE',
  path: '/api/qrcode/{qrcodeId}',
  access: 'member',
  summary: 'Cancel an unpaid QR',
  params: z.object({ qrcodeId: text(64).min(1) }),
  replies: { 200: done },
  errors: ['QR_FAIL', 'INVALID_USER_3'],
  alsoSent: { 409: ['QR_FAIL'] },
  malformed: 'NO_DATA',
});
